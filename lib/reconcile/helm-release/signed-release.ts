/** What a runner that demands signatures compares with what was signed, before a release is changed. */
import type { PlannedChange, PlannedChanges } from '../../clusters/apply/planned-changes.ts'
import type { ClusterClient } from '../../clusters/client/client.ts'
import { encodeJson } from '../../clusters/client/encode-json.ts'
import { isKeptByUninstall } from '../../clusters/helm-release/kept.ts'
import { ownershipProblem } from '../../clusters/helm-release/ownership.ts'
import { releaseDisclosure } from '../../clusters/helm-release/planned-release.ts'
import type { Preview } from '../../clusters/helm-release/preview.ts'
import { ActionFailed } from '../../clusters/helm-release/run.ts'
import { type ReleaseStorage, releaseStorage } from '../../clusters/helm-release/storage.ts'
import { manifestObjects } from '../../engines/helm/release/manifest-text.ts'
import type { Release } from '../../engines/helm/release/release.ts'
import { decodeRelease, encodeRelease } from '../../engines/helm/release/stored-release.ts'
import type { HelmRelease } from '../../foundations/kinds/helm-release.ts'
import { describeRef, type KubernetesObject, refOf } from '../../foundations/kinds/object.ts'
import { type PlanApproval, planApprovalOf } from '../../foundations/kinds/plan.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { decideAbout, markApplied } from '../approvals/plan-book.ts'
import { specDigest } from '../approvals/signatures.ts'
import { withSignatures } from '../approvals/with-signatures.ts'
import type { Held, Pass } from '../runtime/reconciler.ts'
import { awaiting } from '../windows/waiting.ts'
import type { Context } from './context.ts'
import type { ActionName } from './decide.ts'
import type { Draft } from './draft.ts'
import { failure } from './failure.ts'
import { placedObjects } from './inventory.ts'
import { fieldManager } from './names.ts'
import { takesSecrets } from './release-changes.ts'
import { contentsDigest } from './undo/contents-digest.ts'
import type { Work } from './work.ts'

/** The digest of a version's contents, which is the same once it is stored. */
export const contentsToSign = (release: Release): string => contentsDigest(decodeRelease(encodeRelease(release)))

/** What takes the place of a build in the plan of an action: the contents with their hooks, and the definitions of the chart. */
export const manifestsToSign = (
  action: ActionName,
  contents: string,
  definitions: Preview['definitions'] = [],
): string => sha256Digest(encodeJson([isRelease(action) ? 'release' : action, contents, definitions]))

/** A preview finds out only later whether it would install or upgrade. */
const isRelease = (action: ActionName): boolean => action === 'install' || action === 'upgrade'

/** The hooks of a version, as a plan lists them: they are created with the action, or with one that follows it. */
export const plannedHooks = ({ hooks = [] }: Pick<Release, 'hooks'>): readonly PlannedChange[] =>
  hooks.flatMap(({ manifest, path, events = [] }) =>
    objectsIn(manifest).map(object => ({
      ...{ ref: refOf(object), apiVersion: object.apiVersion, action: 'created' as const, desired: object },
      origin: `${path}, a hook: ${events.join(', ')}`,
    })),
  )

/** The storage in which an action begins only with these contents: a template may render something else each time. */
export const storageOnlyFor = (storage: ReleaseStorage, contents: string): ReleaseStorage => ({
  ...storage,
  create: async (release, ...rest) => {
    if (contentsToSign(release) !== contents)
      throw new ActionFailed('the chart renders something else than what was signed, so nothing of it is released')
    return storage.create(release, ...rest)
  },
})

/** Notes that these contents were signed, before an action begins with them. */
export const noteSigned = async ({ draft, units }: Work, contents: string, plan: PlanApproval): Promise<void> => {
  const { release } = draft
  const signed = { spec: specDigest(release), deletions: [], account: accountOf(release) }
  const approved = { build: contents, generation: release.metadata.generation ?? 0, plan, signed }
  await units.write(release, { ...(await units.read(release)), approved })
}

/** Whether a version has the contents that were signed last, for the account that the release acts as: then its drift is corrected, and its tests run. */
export const isSigned = async ({ draft, units }: Work, release: Release): Promise<boolean> => {
  const { approved } = await units.read(draft.release)
  return approved?.build === contentsToSign(release) && approved.signed?.account === accountOf(draft.release)
}

const accountOf = ({ spec }: HelmRelease): string => spec.serviceAccountName ?? ''

/** What an uninstallation would delete. Fails with ClusterError. */
export const plannedDeletions = async (
  cluster: ClusterClient,
  release: Release,
  signal: AbortSignal,
): Promise<readonly PlannedChange[]> => {
  const { name, namespace = '' } = release
  const placed = await placedObjects({ cluster }, release, signal)
  const found = await Promise.all(
    placed
      .filter(object => !isKeptByUninstall(object))
      .map(async object => {
        const live = await cluster.get(object.apiVersion, refOf(object), { metadataOnly: true, signal })
        return live && !ownershipProblem(live, { name, namespace }) ? [live] : []
      }),
  )
  return found.flat().map(live => ({
    ...{ ref: refOf(live), apiVersion: live.apiVersion, action: 'deleted' as const, removed: live },
  }))
}

/** What may be shown of the plan of a version. */
export const signedDisclosure = ({ spec }: HelmRelease, { manifest = '', hooks = [] }: Release) => {
  const objects = [manifest, ...hooks.map(hook => hook.manifest)].flatMap(objectsIn)
  return releaseDisclosure(objects, fieldManager, () => takesSecrets(spec))
}

const objectsIn = (manifest: string) =>
  (manifestObjects(manifest) as unknown as readonly KubernetesObject[]).filter(({ kind }) => !!kind)

/**
 * Whether the release that the status names may be uninstalled, where signatures are demanded: the status is the hub's, and could name any. One that has
 * begun is ended.
 */
export const clearUninstall = async (
  draft: Draft,
  pass: Pass<HelmRelease>,
  context: Context,
  cluster: ClusterClient,
): Promise<{ readonly waiting?: Held<HelmRelease>; applied?(): Promise<void> }> => {
  const { signatures, clock } = context
  const { release, status } = draft
  const [current] = status.history ?? []
  if (!signatures || !current) return {}
  const find = async () => {
    const storage = releaseStorage(cluster, status.storageNamespace!, clock, { signal: pass.signal })
    const [last] = await storage.history(current.name)
    const isBegun = !last || last.progress?.action === 'uninstall'
    if (isBegun) return undefined
    const deletions = await plannedDeletions(cluster, last.release, pass.signal)
    const changes = [...deletions, ...plannedHooks(last.release)]
    return { last: last.release, planned: { changes, unchanged: 0, failures: [] } satisfies PlannedChanges }
  }
  const found = await find().catch(error => {
    pass.signal.throwIfAborted()
    throw failure(draft, 'StateError', `The uninstallation can't be planned: ${errorMessage(error)}`)
  })
  if (!found) return {}
  const change = {
    ...{ unit: release, revision: `of the uninstallation of ${found.last.namespace}/${found.last.name}` },
    ...{ manifests: manifestsToSign('uninstall', contentsToSign(found.last)), planned: found.planned },
    ...{ disclosure: signedDisclosure(release, found.last), required: withSignatures(undefined, signatures) },
  }
  const decision = await decideAbout({ ...change, isDryRun: pass.dryRun !== undefined }, context)
  if (decision.type !== 'approved') return { waiting: awaiting(release, decision, pass) }
  pass.note({ plan: planApprovalOf(decision.plan) })
  await decision.remember()
  return { applied: () => markApplied(decision.plan, context) }
}

/** How a step waits that is for signed versions only. */
export const unsignedVersion = ({ name, namespace }: Release, action: ActionName) =>
  ({
    reason: 'ApprovalRequired',
    message: `${action} waits: the runner demands signatures, and the version of release ${describeRef({ group: '', kind: 'HelmRelease', namespace: namespace ?? '', name })} that is deployed was not signed`,
  }) as const
