/** A bounded cache: holds values up to a total size, and drops the least recently used first. */
export class RecentlyUsed<V> {
  private readonly kept = new Map<string, { readonly value: V; readonly size: number }>()
  private size = 0
  private readonly maxSize: number

  /** In the unit of the sizes in `set`; a count if they are omitted. */
  constructor(maxSize: number) {
    this.maxSize = maxSize
  }

  /** The value, which counts as used now. */
  get(key: string): V | undefined {
    const found = this.kept.get(key)
    if (!found) return undefined
    this.kept.delete(key)
    this.kept.set(key, found)
    return found.value
  }

  /** The value, without counting as a use: cheaper, and enough where entries are dropped in the order in which they were set. */
  peek(key: string): V | undefined {
    return this.kept.get(key)?.value
  }

  /** Stores a value, unless it alone exceeds the total size. */
  set(key: string, value: V, size = 1): void {
    this.delete(key)
    if (size > this.maxSize) return
    this.kept.set(key, { value, size })
    this.size += size
    for (const oldest of this.kept.keys()) {
      if (this.size <= this.maxSize) return
      this.delete(oldest)
    }
  }

  /** The value, or a new one, which is stored with size 1. */
  getOrMake(key: string, make: () => V): V {
    const found = this.get(key)
    if (found !== undefined) return found
    const made = make()
    this.set(key, made)
    return made
  }

  delete(key: string): void {
    const found = this.kept.get(key)
    if (!found) return
    this.kept.delete(key)
    this.size -= found.size
  }

  clear(): void {
    this.kept.clear()
    this.size = 0
  }
}
