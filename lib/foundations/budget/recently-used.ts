/** Holds values up to a size together; those that were not used for the longest time go first. */
export class RecentlyUsed<V> {
  private readonly kept = new Map<string, { readonly value: V; readonly size: number }>()
  private size = 0
  private readonly maxSize: number

  /** In whatever unit the sizes are given. */
  constructor(maxSize: number) {
    this.maxSize = maxSize
  }

  get(key: string): V | undefined {
    const found = this.kept.get(key)
    if (!found) return undefined
    this.kept.delete(key)
    this.kept.set(key, found)
    return found.value
  }

  /** Holds nothing that is larger than all may be together. */
  set(key: string, value: V, size: number): void {
    this.size -= this.kept.get(key)?.size ?? 0
    this.kept.delete(key)
    if (size > this.maxSize) return
    this.kept.set(key, { value, size })
    this.size += size
    for (const [oldest, { size }] of this.kept) {
      if (this.size <= this.maxSize) return
      this.kept.delete(oldest)
      this.size -= size
    }
  }
}
