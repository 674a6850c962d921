import type { Database } from './database.ts'

/** What the current objects of a namespace amount to. */
export interface Usage {
  readonly objects: number
  readonly bytes: number
}

/** The most that a namespace may hold; 0 = no bound. */
export type NamespaceBound = Usage

export interface NamespaceUsage {
  /** Why a namespace can't take so much more; undefined when it can. */
  excess(namespace: string, more: Usage): string | undefined
  /** Notes what a change in the caller's transaction has added; negative for what it took away. */
  add(namespace: string, more: Usage): void
  /** Counts anew when it is asked next: transactions were undone. */
  forget(): void
}

/** Counts a namespace when it is first asked for, and from then on with each change. Objects of the cluster scope are not bounded. */
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
