/**
 * SQL: a run or an object, so that the planner expects an average one. Where it knows which one is meant, it looks it up in its statistics, which
 * are made of those before it: it expects no row of a new one, and then compares each of its rows with each. See decision 027.
 * @param id parameter with its id
 */
export const ofAnySize = (id: string) => `(SELECT ${id}::uuid)`;
