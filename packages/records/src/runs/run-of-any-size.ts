/**
 * SQL: a run, so that the planner expects an average one. Where it knows which one is meant, it looks it up in its statistics, which are made of
 * the runs before it: it expects no row of a new run, and then compares each of its changes with each. See decision 027.
 * @param id parameter with the run's id
 */
export const runOfAnySize = (id: string) => `(SELECT ${id}::uuid)`;
