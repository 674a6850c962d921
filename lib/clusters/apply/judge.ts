import { type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { type ClusterClient, ClusterError, type JsonPatch } from '../client/client.ts'
import { versionPatch } from './api-versions.ts'
import { hasDrifted } from './drift.ts'
import { takeoverPatch } from './field-managers.ts'
import { type IgnoredFields, withLiveFields, withoutFields } from './ignored-fields.ts'
import { isRefusedAsUpdate } from './immutable.ts'
import { isDefinitelyApplied } from './managed-fields.ts'
import type { Policies } from './policies.ts'

/** What to do about an object. */
export type ApplyVerdict =
  /** With `withDefaults`, `defaulted` is the object as the cluster would store it. */
  | { readonly action: 'created'; readonly defaulted?: KubernetesObject }
  | { readonly action: 'skipped'; readonly live?: KubernetesObject }
  | { readonly action: 'unchanged'; readonly live: KubernetesObject }
  /** `takeover` is sent before the apply; `payload` is what is applied, if not the desired object. */
  | {
      readonly action: 'configured'
      readonly live: KubernetesObject
      readonly takeover?: JsonPatch
      readonly payload?: KubernetesObject
      /** The object as it is and as a dry-run says it would be, without ignored fields; absent if they do not differ. */
      readonly states?: { readonly before: KubernetesObject; readonly after: KubernetesObject }
    }
  /** An immutable field has changed, and force is on: the live object is deleted first. */
  | { readonly action: 'recreated'; readonly live: KubernetesObject }

export interface JudgeContext {
  readonly cluster: ClusterClient
  readonly fieldManager: string
  readonly overriddenManagers: readonly string[]
  /** Recreate objects whose immutable fields changed, even without the annotation. */
  readonly force: boolean
  readonly policies: Policies
  /** Fields that are neither compared nor overwritten. */
  readonly ignored: IgnoredFields
  /** Migrate managed fields of older API versions to the one that is applied, before anything else (KS-293). */
  readonly migrateVersions: boolean
  /** Whether verdicts about new objects have what the cluster makes of them. */
  readonly withDefaults?: boolean
  readonly signal?: AbortSignal
}

/**
 * Judges one object without changing anything: by the live object if that is enough, otherwise by a dry-run.
 * `known` is the live object if it has been read already. Fails with the ClusterError of a refused dry-run.
 */
export const judge = async (
  desired: KubernetesObject,
  known: KubernetesObject | undefined,
  context: JudgeContext,
): Promise<ApplyVerdict> => {
  const { cluster, policies, signal } = context
  const read = () => cluster.get(desired.apiVersion, refOf(desired), { signal })

  if (policies.isExcluded(desired)) return { action: 'skipped', live: known }
  if (policies.isIfNotPresent(desired)) {
    const live = known ?? (await read())
    if (live) return { action: 'skipped', live }
  }
  if (context.migrateVersions) {
    const live = known ?? (await read())
    const migrated = live && !policies.isExcluded(live) && (await migrate(desired, live, context))
    if (migrated) return asConfigured(await judge(desired, migrated, context))
  }
  if (known) {
    if (policies.isExcluded(known)) return { action: 'skipped', live: known }
    const isTheirs = takeoverOf(desired, known, context)
    if (!isTheirs && isDefinitelyApplied(desired, known, context.fieldManager))
      return { action: 'unchanged', live: known }
  }

  const dryRun = await attempt(desired, context)
  if (isNew(dryRun)) return { action: 'created', ...(context.withDefaults && { defaulted: dryRun }) }
  const live = known ?? (await readAfter(dryRun, read))
  if (live && policies.isExcluded(live)) return { action: 'skipped', live }
  if (dryRun instanceof ClusterError) {
    if (!live || !(await mayRecreate(desired, live, dryRun, context))) throw dryRun
    await cluster.requireDeletable?.(refOf(desired), { signal })
    return { action: 'recreated', live }
  }
  if (!live) return { action: 'created' }
  const pointers = context.ignored(dryRun)
  const takeover = takeoverOf(desired, live, context)
  const states = { before: withoutFields(live, pointers), after: withoutFields(dryRun, pointers) }
  const isDrifted = hasDrifted(states.before, states.after)
  if (!takeover && !isDrifted) return { action: 'unchanged', live }
  const payload =
    pointers.length > 0 ? withLiveFields(desired, live, dryRun, pointers, context.fieldManager) : undefined
  return {
    ...{ action: 'configured', live },
    ...(takeover && { takeover }),
    ...(payload && { payload }),
    ...(isDrifted && { states }),
  }
}

/** A migrated object has been written to, whatever else there is to do. */
const asConfigured = (verdict: ApplyVerdict): ApplyVerdict =>
  verdict.action === 'unchanged' ? { action: 'configured', live: verdict.live } : verdict

/** The live object with its managed fields in the applied version; undefined if they already were. */
const migrate = async (
  { apiVersion }: KubernetesObject,
  live: KubernetesObject,
  { cluster, fieldManager, signal }: JudgeContext,
): Promise<KubernetesObject | undefined> => {
  const patch = versionPatch(live, apiVersion)
  return patch && cluster.patch(apiVersion, refOf(live), patch, { fieldManager, signal })
}

type DryRun = KubernetesObject | ClusterError

const attempt = async (desired: KubernetesObject, { cluster, fieldManager, signal }: JudgeContext): Promise<DryRun> => {
  try {
    return await cluster.apply(desired, { fieldManager, force: true, dryRun: true, signal })
  } catch (error) {
    if (error instanceof ClusterError) return error
    throw error
  }
}

const isNew = (dryRun: DryRun): dryRun is KubernetesObject =>
  !(dryRun instanceof ClusterError) && !dryRun.metadata.resourceVersion

/**
 * A refused dry-run is a better error than a failed read after it. Without a response, or without the
 * namespace, there is nothing to read.
 */
const readAfter = async (dryRun: DryRun, read: () => Promise<KubernetesObject | undefined>) => {
  if (!(dryRun instanceof ClusterError)) return read()
  if (dryRun.status === undefined || ['unauthorized', 'notFound'].includes(dryRun.code)) throw dryRun
  try {
    return await read()
  } catch (error) {
    if (error instanceof ClusterError) throw dryRun
    throw error
  }
}

const mayRecreate = async (
  desired: KubernetesObject,
  live: KubernetesObject,
  refusal: ClusterError,
  context: JudgeContext,
): Promise<boolean> => {
  const { force, policies, cluster } = context
  const isForced = force || policies.isForced(desired) || policies.isForced(live)
  return isForced && (await isRefusedAsUpdate(refusal, desired, cluster, context))
}

const takeoverOf = (
  desired: KubernetesObject,
  live: KubernetesObject,
  { policies, fieldManager, overriddenManagers }: JudgeContext,
): JsonPatch | undefined => {
  if (policies.isMerge(desired) || policies.isMerge(live)) return undefined
  const operations = takeoverPatch(live, fieldManager, overriddenManagers)
  return operations && { type: 'json', operations }
}
