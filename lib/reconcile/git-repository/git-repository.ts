import type { Connections } from '../../http/connections.ts'
import type { Hub } from '../../hub/hub.ts'
import type { Artifact } from '../../kinds/artifact.ts'
import { intervalOf, requestedAtOf } from '../../kinds/flux.ts'
import { type GitRepository, gitRepository, timeoutOf } from '../../kinds/git-repository.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import type { OpenPgp } from '../../ports/open-pgp.ts'
import { isConditionTrue } from '../../rules/conditions.ts'
import type { GitClient } from '../../source/git/git-client.ts'
import { type GitLogin, gitLogin } from '../../source/git/git-login.ts'
import { subjectOf } from '../../source/git/read-object.ts'
import { revisionOf } from '../../source/git/reference.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { findStored, type StorageSettings, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'
import { finalizeSource, tidyUp } from '../source-artifact/garbage.ts'
import { succeeded } from '../source-artifact/succeeded.ts'
import { checkOut, resolveTarget } from './check-out.ts'
import { contentConfigChanged, includesDiffer } from './content-config.ts'
import { artifactStored, nothingNew, verified } from './events.ts'
import { resolveIncludes, withIncludes } from './includes.ts'
import { loadCredentials } from './load-credentials.ts'
import { requireSupported } from './require-supported.ts'
import { storeTree } from './store-tree.ts'
import { requiresVerification, type Verification, verifySignatures } from './verify-signature.ts'

export interface GitRepositoryPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly artifacts: ArtifactStore
  readonly git: GitClient
  readonly openPgp: Pick<OpenPgp, 'verify'>
  readonly clock: Clock
  readonly connections: Connections
  readonly cloudAccess: CloudAccessOf
}

export interface GitRepositorySettings extends StorageSettings {
  /** How long to wait for an included repository before looking again, in milliseconds. */
  readonly requeueDependencyMs: number
}

type GitPass = Pass<GitRepository>

/** Keeps an artifact of the files that a GitRepository refers to, as source-controller does. */
export const gitRepositoryReconciler = (
  given: GitRepositoryPorts,
  settings: GitRepositorySettings,
): Reconciler<GitRepository> => {
  const ports = { ...given, login: gitLogin(given) }
  return {
    kind: gitRepository,
    stage: 'source',
    manager: 'source-controller',
    intervalOf,
    passTimeoutOf: repository => timeoutOf(repository) + 30_000,
    reconcile: (repository, pass) => attempt(repository, pass, ports, settings).catch(outcomeOfHalt),
    finalize: (repository, pass) => finalizeSource(repository, pass, ports.artifacts),
  }
}

const attempt = async (
  repository: GitRepository,
  pass: GitPass,
  ports: GitRepositoryPorts & { readonly login: GitLogin },
  settings: GitRepositorySettings,
): Promise<Done<GitRepository>> => {
  await pass.open()
  const before = await findStored(repository, pass, ports.artifacts)
  const url = requireSupported(repository)
  const credentials = await loadCredentials(ports, repository, url, pass)
  const includes = await resolveIncludes(ports.hub, repository, settings.requeueDependencyMs)
  await noticeNewIncludes(repository, includes, pass)

  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(repository))])
  const visit = ports.git.visit({ url, credentials, signal })
  try {
    const target = await resolveTarget(visit, repository, before !== undefined, pass)
    const revision = revisionOf(target)
    const isKnown = !contentConfigChanged(repository, includes) && !requiresVerification(repository)
    if (before?.revision === revision && isKnown) {
      return unchanged(repository, withCurrentUrl(before, settings), pass)
    }
    const checkout = await checkOut(visit, target, repository, pass)
    const { commit, tree } = checkout
    const verification = await verifySignatures(ports, repository, checkout)
    if (verification.message) pass.event(verified(verification.message))
    if (before?.revision !== revision) await noticeNewRevision(revision, before, pass)
    const files = await withIncludes(tree, repository.spec.include ?? [], includes, ports.artifacts)
    const artifact = await storeTree(files, target, repository, ports, settings)
    if (artifact.digest !== before?.digest) pass.event(artifactStored('NewArtifact', subjectOf(commit), artifact))
    else noticeRecovery(repository, subjectOf(commit), artifact, pass)
    await tidyUp(repository, artifact, pass, ports, settings)
    return withVerification(stored(repository, artifact, includes, before), verification)
  } finally {
    await visit.close()
  }
}

const noticeNewIncludes = async ({ status }: GitRepository, includes: readonly Artifact[], pass: GitPass) => {
  if (!includesDiffer(includes, status?.includedArtifacts)) return
  const message = 'included artifacts differ from last observed includes'
  const ArtifactOutdated = { status: 'True', reason: 'IncludeChange', message } as const
  await pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { IncludeUnavailable: null, ...(status?.includedArtifacts && { ArtifactOutdated }) },
  })
}

const noticeNewRevision = async (revision: string, before: Artifact | undefined, pass: GitPass) => {
  const message = `new upstream revision '${revision}'`
  const ArtifactOutdated = { status: 'True', reason: 'NewRevision', message } as const
  await pass.progress(`building artifact: ${message}`, {
    fleeting: true,
    conditions: { FetchFailed: null, IncludeUnavailable: null, ArtifactOutdated: before ? ArtifactOutdated : null },
  })
}

/** People are told of it when they asked or changed the spec, but not every interval anew: that would cost a write. */
const unchanged = (repository: GitRepository, artifact: Artifact, pass: GitPass): Done<GitRepository> => {
  const { metadata, status, spec } = repository
  const isNew = metadata.generation !== status?.observedGeneration
  const isAsked = requestedAtOf(repository) !== status?.lastHandledReconcileAt
  const comparedBy = spec.ref?.commit || spec.ref?.semver ? 'clone' : 'reference'
  if (isNew || isAsked) pass.event(nothingNew(artifact.revision, comparedBy))
  noticeRecovery(repository, artifact.revision, artifact, pass)
  const done = { ...fetched(artifact), status: { artifact } }
  return spec.verify ? done : withVerification(done, { condition: null, mode: null })
}

const withVerification = (done: Done<GitRepository>, { condition, mode }: Verification): Done<GitRepository> => ({
  ...done,
  conditions: { ...done.conditions, SourceVerified: condition },
  status: { ...done.status, sourceVerificationMode: mode },
})

const noticeRecovery = ({ status }: GitRepository, commit: string, artifact: Artifact, pass: GitPass): void => {
  const failures = ['FetchFailed', 'IncludeUnavailable', 'StorageOperationFailed']
  const hadFailed = failures.some(type => isConditionTrue(status?.conditions, type))
  if (hadFailed) pass.event(artifactStored('Succeeded', commit, artifact))
}

const stored = (
  { spec }: GitRepository,
  artifact: Artifact,
  includes: readonly Artifact[],
  before: Artifact | undefined,
): Done<GitRepository> => ({
  ...fetched(artifact),
  status: {
    artifact,
    includedArtifacts: includes.length > 0 ? includes : null,
    observedIgnore: spec.ignore ?? null,
    observedInclude: spec.include?.length ? spec.include : null,
    observedRecurseSubmodules: spec.recurseSubmodules || null,
    observedSparseCheckout: spec.sparseCheckout?.length ? spec.sparseCheckout : null,
  },
  ...((artifact.digest !== before?.digest || artifact.revision !== before.revision) && { announce: 'artifact' }),
})

/** In the words that source-controller has for Git. */
const fetched = (artifact: Artifact): Done<GitRepository> => {
  const stored = succeeded(artifact, 'stored artifact for')
  return { ...stored, conditions: { ...stored.conditions, IncludeUnavailable: null } }
}
