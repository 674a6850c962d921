/** An item's tenant, and its group within the tenant. */
export interface FairnessKey {
  readonly tenant: string
  readonly group: string
}

export interface Bounds {
  /** Maximum number of running items per tenant. */
  readonly perTenant: number
  readonly perGroup: number
}

export interface FairQueue<T> {
  /** Queues an item. */
  add(item: T, key: FairnessKey): void
  /** The next item, which counts as running until `done`; undefined if none may run. */
  take(bounds: Bounds): T | undefined
  done(key: FairnessKey): void
}

interface Group<T> {
  readonly waiting: Set<T>
  running: number
}

interface Tenant<T> {
  /** The next one to be served is first. Only groups with waiting or running items. */
  readonly groups: Map<string, Group<T>>
  running: number
}

/**
 * Tenants take turns, and a tenant's groups share its turns: a tenant with a thousand waiting items, in however many
 * groups, does not delay one with a single item.
 */
export const fairQueue = <T>(): FairQueue<T> => {
  /** The next one to be served is first. */
  const tenants = new Map<string, Tenant<T>>()

  const tenantNamed = (name: string): Tenant<T> => {
    const tenant = tenants.get(name) ?? { groups: new Map(), running: 0 }
    tenants.set(name, tenant)
    return tenant
  }
  const groupNamed = ({ groups }: Tenant<T>, name: string): Group<T> => {
    const group = groups.get(name) ?? { waiting: new Set<T>(), running: 0 }
    groups.set(name, group)
    return group
  }

  return {
    add: (item, key) => void groupNamed(tenantNamed(key.tenant), key.group).waiting.add(item),
    take: ({ perTenant, perGroup }) => {
      for (const [name, tenant] of tenants) {
        if (tenant.running >= perTenant) continue
        for (const [groupName, group] of tenant.groups) {
          const [item] = group.waiting
          if (item === undefined || group.running >= perGroup) continue
          group.waiting.delete(item)
          group.running += 1
          tenant.running += 1
          moveToEnd(tenant.groups, groupName, group)
          moveToEnd(tenants, name, tenant)
          return item
        }
      }
      return undefined
    },
    done: key => {
      const tenant = tenantNamed(key.tenant)
      const group = groupNamed(tenant, key.group)
      group.running -= 1
      tenant.running -= 1
      if (group.waiting.size === 0 && group.running === 0) tenant.groups.delete(key.group)
      if (tenant.groups.size === 0) tenants.delete(key.tenant)
    },
  }
}

const moveToEnd = <V>(map: Map<string, V>, key: string, value: V): void => {
  map.delete(key)
  map.set(key, value)
}
