import { jobCompletion, jobStatus } from '../../engines/kstatus/job.ts'
import { kstatus } from '../../engines/kstatus/kstatus.ts'
import { current, failed, inProgress, type KStatus, KStatusError } from '../../engines/kstatus/result.ts'
import { describeRef, type KubernetesObject, refKey, refOf } from '../../foundations/kinds/object.ts'
import { healthPollMs } from '../../foundations/rules/schedule.ts'
import { describeHealth, type Health } from '../apply/health.ts'
import type { ActionDeps, ActionRequest } from './action.ts'
import { legacyReadiness } from './legacy-readiness.ts'
import { eachOf } from './objects.ts'
import { ActionFailed, NotYet } from './run.ts'
import type { WrittenObjects } from './write-objects.ts'

const MAX_POLL_MS = 2_000
const FIRST_PAUSE_MS = 50
const LONGEST_PAUSE_MS = 500

/** How long to wait, measured from the start of the step, across passes. */
export interface Deadline {
  readonly since: number
  readonly timeoutMs: number
}

/** One check: resolves with undefined when done, or with what is waited for. Throws to end the wait. */
type Check = (isLast: boolean) => Promise<string | undefined>

/**
 * Polls until there is nothing to wait for. Throws NotYet if the wait takes longer than a pass: later passes check once each. After the deadline
 * calls `check` with `isLast`, which then throws Helm's error.
 */
export const waitUntil = async (
  { clock, signal, maxPollMs = MAX_POLL_MS }: ActionDeps,
  { since, timeoutMs }: Deadline,
  check: Check,
): Promise<void> => {
  const waited = () => clock.now() - since
  const deadline = clock.monotonic() + maxPollMs - waited()
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(2 * pause, LONGEST_PAUSE_MS)) {
    const left = timeoutMs - waited()
    const waitingFor = await check(left <= 0)
    if (waitingFor === undefined) return
    if (clock.monotonic() + pause > deadline) throw new NotYet(waitingFor, healthPollMs(waited(), timeoutMs))
    await clock.sleep(Math.max(1, Math.min(pause, left)), signal)
  }
}

/**
 * Waits for the objects of a release with its strategy. Judges objects that were just `written` from that at first. Throws ActionFailed if an
 * object fails, or at the deadline.
 */
export const waitForObjects = async (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  request: Pick<ActionRequest, 'wait' | 'waitForJobs' | 'judge' | 'isCanceled'>,
  deadline: Deadline,
  written: WrittenObjects = new Map(),
): Promise<void> => {
  const { wait, waitForJobs, judge } = request
  if (wait === 'none') return
  const first = new Map(written)
  const read: Read = async object => {
    const key = refKey(refOf(object))
    const known = first.get(key)
    first.delete(key)
    return known ?? readIn(deps)(object)
  }
  if (wait === 'legacy') return waitByLegacyRules(deps, objects, read, waitForJobs, deadline)
  if (request.isCanceled) throw new ActionFailed('context canceled')
  const watched = objects.filter(object => !isPaused(object))
  await waitForStatus(deps, watched, deadline, { read, failFast: true }, async object => {
    const judged = await judge?.(object)
    if (judged) return judged
    if (isJob(object)) return waitForJobs ? jobCompletion(object) : jobStatus(object)
    return kstatus(object, deps.clock.now())
  })
}

/** Waits for a hook to end: for a Job to complete or a Pod to succeed; other objects are done once they exist. */
export const waitForHook = (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  deadline: Deadline,
): Promise<void> =>
  waitForStatus(deps, objects, deadline, { read: readIn(deps), failFast: false }, async object => {
    if (isJob(object)) return jobCompletion(object)
    return object.kind === 'Pod' && object.apiVersion === 'v1' ? podCompletion(object) : current('Resource is current')
  })

/** Reads the live object. */
type Read = (object: KubernetesObject) => Promise<KubernetesObject | undefined>

const readIn =
  ({ cluster, signal }: ActionDeps): Read =>
  object =>
    cluster.get(object.apiVersion, refOf(object), { signal })

const waitForStatus = (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  deadline: Deadline,
  { read, failFast }: { readonly read: Read; readonly failFast: boolean },
  judge: (object: KubernetesObject) => Promise<KStatus>,
): Promise<void> => {
  const vanishing = new Set(objects.filter(hasTtl).map(object => refKey(refOf(object))))
  return waitUntil(deps, deadline, async isLast => {
    const results = await eachOf(objects, object => healthOf(read, object, judge))
    const health = results.map(result => {
      if (result.status === 'rejected') throw result.reason
      const { status, ref } = result.value
      // A Job may be deleted after it has finished.
      return status === 'NotFound' && vanishing.has(refKey(ref))
        ? { ...result.value, status: 'Current' as const }
        : result.value
    })
    const unready = health.filter(({ status }) => status !== 'Current')
    const failures = unready.filter(({ status }) => status === 'Failed')
    if (unready.length === 0) return undefined
    const describe = (those: readonly Health[]) => those.map(describeHealth).join(', ')
    if (isLast) throw new ActionFailed(`timeout waiting for: [${describe(unready)}]`)
    if (failures.length > 0 && (failFast || failures.length === unready.length))
      throw new ActionFailed(`failed early due to stalled resources: [${describe(failures)}]`)
    return describe(unready)
  })
}

const healthOf = async (
  read: Read,
  object: KubernetesObject,
  judge: (object: KubernetesObject) => Promise<KStatus>,
): Promise<Health> => {
  const ref = refOf(object)
  const live = await read(object)
  if (!live) return { ref, status: 'NotFound', message: 'Resource not found' }
  try {
    const { status, message } = await judge(live)
    return { ref, status, message }
  } catch (error) {
    if (error instanceof KStatusError) return { ref, status: 'Unknown', message: '', error: error.message }
    throw error
  }
}

const waitByLegacyRules = (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  read: Read,
  waitForJobs: boolean,
  deadline: Deadline,
): Promise<void> =>
  waitUntil(deps, deadline, async isLast => {
    const results = await eachOf(objects, async object => {
      const live = await read(object)
      return live ? legacyReadiness(live, waitForJobs) : 'waiting'
    })
    let waitingFor: string | undefined
    results.forEach((result, index) => {
      if (result.status === 'rejected') throw result.reason
      if (typeof result.value === 'object') throw new ActionFailed(result.value.failure)
      if (result.value === 'waiting') waitingFor ??= describeRef(refOf(objects[index]!))
    })
    if (waitingFor !== undefined && isLast) throw new ActionFailed('context deadline exceeded')
    return waitingFor
  })

/** Waits until objects are gone. Throws ActionFailed with Flux's message. */
export const waitUntilGone = (
  deps: ActionDeps,
  objects: readonly KubernetesObject[],
  deadline: Deadline,
): Promise<void> =>
  waitUntil(deps, deadline, async isLast => {
    for (const object of objects) {
      const live = await deps.cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal: deps.signal })
      if (!live) continue
      const described = describeRef(refOf(object))
      if (isLast) throw new ActionFailed(`${described} termination timeout: context deadline exceeded`)
      return `${described} to be gone`
    }
    return undefined
  })

const podCompletion = (pod: KubernetesObject): KStatus => {
  const phase = (pod.status as { readonly phase?: string } | undefined)?.phase
  if (phase === 'Succeeded') return current(`pod ${pod.metadata.name} succeeded`)
  if (phase === 'Failed') return failed('PodFailed', `pod ${pod.metadata.name} failed`)
  return inProgress('PodInProgress', 'Pod in progress')
}

const isJob = ({ apiVersion, kind }: KubernetesObject): boolean => kind === 'Job' && apiVersion.startsWith('batch/')

const specOf = (object: KubernetesObject) => (object.spec ?? {}) as Readonly<Record<string, unknown>>

const hasTtl = (object: KubernetesObject): boolean =>
  isJob(object) && specOf(object).ttlSecondsAfterFinished !== undefined

const isPaused = (object: KubernetesObject): boolean =>
  object.kind === 'Deployment' && object.apiVersion === 'apps/v1' && specOf(object).paused === true
