/** Knows which peer listens to which topics. A topic is a test object (`object:<id>`) or a console room (`room:<name>`). */
export class Topics<Peer> {
  private readonly listeners = new Map<string, Set<Peer>>();
  private readonly topicsOf = new Map<Peer, Set<string>>();

  /** @param maxPerPeer how many topics one peer may listen to */
  constructor(private readonly maxPerPeer: number) {}

  /**
   * Subscribes a peer; doing so twice has no further effect.
   * @returns false when the peer is at its limit
   */
  add(peer: Peer, topic: string): boolean {
    const mine = this.topicsOf.get(peer) ?? new Set();
    if (!mine.has(topic) && mine.size >= this.maxPerPeer) return false;
    this.topicsOf.set(peer, mine.add(topic));
    this.listeners.set(topic, (this.listeners.get(topic) ?? new Set()).add(peer));
    return true;
  }

  remove(peer: Peer, topic: string): void {
    const mine = this.topicsOf.get(peer);
    mine?.delete(topic);
    if (mine?.size === 0) this.topicsOf.delete(peer);
    const others = this.listeners.get(topic);
    others?.delete(peer);
    if (others?.size === 0) this.listeners.delete(topic);
  }

  removeAll(peer: Peer): void {
    for (const topic of [...(this.topicsOf.get(peer) ?? [])]) this.remove(peer, topic);
  }

  /** Whether anybody listens to a topic. */
  has(topic: string): boolean {
    return this.listeners.has(topic);
  }

  of(topic: string): Iterable<Peer> {
    return this.listeners.get(topic) ?? [];
  }
}

export function objectTopic(id: string): string {
  return `object:${id}`;
}

export function roomTopic(name: string): string {
  return `room:${name}`;
}
