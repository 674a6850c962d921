import { requestedAtOf } from '../../../lib/foundations/kinds/flux.ts'
import type { Condition, KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { objectNamed } from './refs.ts'
import { isOfHub } from './routed-cluster.ts'
import type { Until } from './scenario.ts'
import { filled } from './texts.ts'
import type { Watching } from './watching.ts'
import type { World } from './world.ts'

interface Status {
  readonly conditions?: readonly Condition[]
  readonly lastHandledReconcileAt?: string
  readonly lastAppliedRevision?: string
  readonly lastAttemptedRevision?: string
  readonly history?: readonly { readonly version?: number; readonly status?: string }[]
  readonly artifact?: { readonly revision: string }
}

/** Whether what a step waits for is there. */
export const isReached = async (world: World, until: Until, { events, states }: Watching): Promise<boolean> => {
  const { ref: text, ...wanted } = filled(until, world.placeholders) as Until
  const { cluster, apiVersion, ref } = objectNamed(text, world.scenario.id)
  const object = isOfHub(ref.group)
    ? await world.hub.get<KubernetesObject>(ref)
    : await world.real(cluster).get(apiVersion, ref)
  const key = `${ref.kind}/${ref.namespace}/${ref.name}`
  if (wanted.deleted || wanted.absent) return object === undefined
  if (wanted.event && !events.some(one => one.object === key && new RegExp(wanted.event!).test(one.message)))
    return false
  if (!object) return false
  if (wanted.live) {
    const found = wanted.live
      .split('.')
      .reduce<unknown>((part, name) => (part as Record<string, unknown> | undefined)?.[name], object)
    if (found !== wanted.value) return false
  }
  const status = (object.status ?? {}) as Status
  const condition = (type: string) => status.conditions?.find(one => one.type === type)
  const ready = condition('Ready')
  const reconciling = condition('Reconciling')
  // By what was heard: `get` is ahead of listings and watches until a change is on disk.
  if (wanted.during) return (states.get(key) ?? []).some(state => new RegExp(wanted.during!).test(state))
  if (wanted.ready) {
    const isSettled = ready?.status === wanted.ready && ready.observedGeneration === object.metadata.generation
    const requested = requestedAtOf(object)
    const isHandled = requested === undefined || status.lastHandledReconcileAt === requested
    // helm-controller leaves Reconciling as it was when a release can't go on.
    const isUnderWay =
      reconciling?.reason === 'Progressing' && !(ref.kind === 'HelmRelease' && wanted.ready === 'False')
    if (!isSettled || isUnderWay || !isHandled) return false
  }
  return (
    (!wanted.reason || ready?.reason === wanted.reason) &&
    (!wanted.msg || new RegExp(wanted.msg).test(ready?.message ?? '')) &&
    (wanted.version === undefined || status.history?.[0]?.version === wanted.version) &&
    (!wanted.hstatus || status.history?.[0]?.status === wanted.hstatus) &&
    (!wanted.cond || condition(wanted.cond[0])?.status === wanted.cond[1]) &&
    (!wanted.stalled || condition('Stalled')?.status === 'True') &&
    (!wanted.rev ||
      `${status.lastAppliedRevision} ${status.artifact?.revision}`.includes(placeholder(world, wanted.rev))) &&
    (!wanted.attempted || (status.lastAttemptedRevision ?? '').includes(placeholder(world, wanted.attempted))) &&
    (!wanted.handled ||
      status.lastHandledReconcileAt ===
        (wanted.handled === true ? requestedAtOf(object) : placeholder(world, wanted.handled)))
  )
}

/** `REV2` is a placeholder without its braces. */
const placeholder = ({ placeholders }: World, text: string): string => placeholders.get(text) ?? text
