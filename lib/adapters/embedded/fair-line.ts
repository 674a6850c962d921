export interface FairLine<T> {
  /** Lets an item wait its turn in its group. */
  add(item: T, group: string): void
  remove(item: T, group: string): void
  /** The next item, counted as running in its group until `done`; undefined when none may run. */
  take(perGroup: number): T | undefined
  done(group: string): void
}

interface Group<T> {
  readonly waiting: Set<T>
  running: number
}

/** Groups take turns, so that a group with a thousand items waiting doesn't hold up one that has just one. */
export function fairLine<T>(): FairLine<T> {
  /** In the order of their turns. Holds the groups with anything waiting or running. */
  const groups = new Map<string, Group<T>>()

  const groupNamed = (name: string): Group<T> => {
    const group = groups.get(name) ?? { waiting: new Set<T>(), running: 0 }
    groups.set(name, group)
    return group
  }
  const leaveIfIdle = (name: string, group: Group<T>) => {
    if (group.waiting.size === 0 && group.running === 0) groups.delete(name)
  }

  return {
    add: (item, name) => void groupNamed(name).waiting.add(item),
    remove: (item, name) => {
      const group = groupNamed(name)
      group.waiting.delete(item)
      leaveIfIdle(name, group)
    },
    take: perGroup => {
      for (const [name, group] of groups) {
        if (group.waiting.size === 0 || group.running >= perGroup) continue
        const [item] = group.waiting
        group.waiting.delete(item!)
        group.running += 1
        groups.delete(name)
        groups.set(name, group)
        return item
      }
      return undefined
    },
    done: name => {
      const group = groupNamed(name)
      group.running -= 1
      leaveIfIdle(name, group)
    },
  }
}
