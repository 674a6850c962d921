/** Warns the author of an object that closes a cycle of dependencies: none of its objects would ever be reconciled. */
import { type KubernetesObject, type ObjectRef, refOf } from '../../foundations/kinds/object.ts'
import { isSameJson } from '../../foundations/kinds/schema/same-json.ts'
import { awaitedBy } from '../../foundations/rules/awaited.ts'
import { findCycle } from '../../foundations/rules/dependencies.ts'
import type { Hub } from '../store/hub.ts'

/** Maximum number of objects read per write; the first pass reports a longer cycle. */
const maxRead = 100

/**
 * The warning for an object that is being written; undefined if its dependencies did not change or have no cycle. As in Flux, the write is
 * not refused: the objects of a set are written one after the other.
 */
export const cycleWarning = async (
  object: KubernetesObject,
  old: KubernetesObject | undefined,
  hub: Pick<Hub, 'get'>,
): Promise<string | undefined> => {
  const awaited = awaitedBy(object)
  if (awaited.length === 0 || (old && isSameJson(awaited, awaitedBy(old)))) return undefined
  const start = nameOf(refOf(object))
  const refs = new Map(awaited.map(ref => [nameOf(ref), ref]))
  const cycle = await findCycle(
    start,
    async name => {
      const ref = refs.get(name)
      const found = name === start ? object : ref && (await hub.get<KubernetesObject>(ref))
      const next = found ? awaitedBy(found) : []
      for (const each of next) refs.set(nameOf(each), each)
      return next.map(nameOf)
    },
    maxRead,
  )
  return cycle && `dependency cycle ${cycle.join(' -> ')}: none of them will ever be reconciled`
}

const nameOf = ({ kind, namespace, name }: ObjectRef): string => `${kind}/${namespace}/${name}`
