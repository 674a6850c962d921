import type { Database } from './database.ts'

/** The current objects of a namespace and the size of their bodies. */
export interface Usage {
  readonly objects: number
  readonly bytes: number
}

/** Limits per namespace; 0 = unlimited. */
export type NamespaceBound = Usage

export interface NamespaceUsage {
  /** The reason why a namespace can't grow by this much; undefined if it can. */
  excess(namespace: string, more: Usage): string | undefined
  /** Records a change of the caller's transaction; negative numbers for deletions. */
  add(namespace: string, more: Usage): void
  /** Discards all counts, because transactions were rolled back. */
  forget(): void
}

/** Counts a namespace when it is first needed, and updates the count with each change. Cluster-scoped objects are not limited. */
export const namespaceUsage = ({ sql }: Database, bound: NamespaceBound): NamespaceUsage => {
  const counted = new Map<string, Usage>()
  const count = sql.prepare(`
    SELECT count(*) AS objects, coalesce(sum(octet_length(r.body)), 0) AS bytes
    FROM heads h JOIN records r ON r.version = h.version WHERE h.namespace = ?`)

  const usageOf = (namespace: string): Usage => {
    const known = counted.get(namespace)
    if (known) return known
    const { objects, bytes } = count.get(namespace) as unknown as Usage
    const usage = { objects, bytes }
    counted.set(namespace, usage)
    return usage
  }

  return {
    excess: (namespace, more) => {
      if (namespace === '' || (bound.objects === 0 && bound.bytes === 0)) return undefined
      const used = usageOf(namespace)
      for (const measure of ['objects', 'bytes'] as const) {
        if (bound[measure] === 0 || more[measure] <= 0) continue
        if (used[measure] + more[measure] > bound[measure])
          return `requested: ${measure}=${more[measure]}, used: ${measure}=${used[measure]}, limited: ${measure}=${bound[measure]}`
      }
      return undefined
    },
    add: (namespace, more) => {
      const known = counted.get(namespace)
      if (known) counted.set(namespace, { objects: known.objects + more.objects, bytes: known.bytes + more.bytes })
    },
    forget: () => counted.clear(),
  }
}
