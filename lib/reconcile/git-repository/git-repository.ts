import { contentIdOf } from '../../foundations/kinds/announced-version.ts'
import type { Artifact } from '../../foundations/kinds/artifact.ts'
import { intervalOf } from '../../foundations/kinds/flux.ts'
import { type GitRepository, gitRepository } from '../../foundations/kinds/git-repository.ts'
import { timeoutOf } from '../../foundations/kinds/source-fields.ts'
import type { References } from '../../hub/references/references.ts'
import type { Connections } from '../../platform/http/connections.ts'
import type { ArtifactStore } from '../../platform/ports/artifacts.ts'
import type { Clock } from '../../platform/ports/clock.ts'
import type { OpenPgp } from '../../platform/ports/open-pgp.ts'
import type { GitClient } from '../../sources/git/git-client.ts'
import { type GitLogin, gitLogin } from '../../sources/git/git-login.ts'
import { commitSubject } from '../../sources/git/read-object.ts'
import { revisionOf } from '../../sources/git/reference.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { announcementFor, isBehind, retryDelayMs } from '../source-artifact/announced-version.ts'
import { type StorageSettings, withCurrentUrl } from '../source-artifact/artifact-storage.ts'
import type { CloudAccessOf } from '../source-artifact/cloud-access-of.ts'
import { quietEvent, reportStored, upToDate, wasRequested } from '../source-artifact/events.ts'
import { tryCollectGarbage } from '../source-artifact/garbage.ts'
import {
  endDryRun,
  enqueueDependents,
  noticeNewRevision,
  noticeOutdated,
  succeeded,
} from '../source-artifact/outcomes.ts'
import type { Refetch } from '../source-artifact/read-artifact.ts'
import { type SharedFetchPorts, sharedFetches } from '../source-artifact/shared-fetches.ts'
import { type SourceContext, sourceReconciler } from '../source-artifact/source-reconciler.ts'
import { sourceVisit } from '../source-artifact/visits.ts'
import { checkoutTarget, resolveTarget, sharedTarget } from './checkout.ts'
import { contentConfigChanged, includesDiffer } from './content-config.ts'
import { resolveIncludes, withIncludes } from './includes.ts'
import { loadCredentials } from './load-credentials.ts'
import { requireSupported } from './require-supported.ts'
import { type OpenCommits, sharedCommits } from './shared-commits.ts'
import { fileOf, storeTree } from './store-tree.ts'
import { requiresVerification, type Verification, verifySignatures } from './verify-signature.ts'

export interface GitRepositoryPorts extends SharedFetchPorts {
  readonly references: References
  readonly artifacts: ArtifactStore
  readonly refetch: Refetch
  readonly git: GitClient
  readonly openPgp: Pick<OpenPgp, 'verify'>
  readonly clock: Clock
  readonly connections: Connections
  readonly cloudAccess: CloudAccessOf
}

export interface GitRepositorySettings extends StorageSettings {
  /** Delay before an include without an artifact is checked again, in milliseconds. */
  readonly requeueDependencyMs: number
}

/** Stores an artifact with the files that a GitRepository refers to, as source-controller does. */
export const gitRepositoryReconciler = (
  given: GitRepositoryPorts,
  settings: GitRepositorySettings,
): Reconciler<GitRepository> => {
  const ports = { ...given, login: gitLogin(given), commits: sharedCommits(sharedFetches(given, settings)) }
  return sourceReconciler(
    {
      kind: gitRepository,
      intervalOf,
      isVisited: true,
      visitOf: sourceVisit,
      passTimeoutOf: (repository: GitRepository) => timeoutOf(repository) + 30_000,
      reconcileSource,
    },
    ports,
    settings,
  )
}

interface OwnPorts {
  readonly login: GitLogin
  readonly commits: OpenCommits
}

type GitContext = SourceContext<GitRepository, GitRepositoryPorts & OwnPorts, GitRepositorySettings>

const reconcileSource = async (at: GitContext): Promise<Done<GitRepository>> => {
  const { object: repository, pass, before, ports, settings } = at
  const url = requireSupported(repository)
  const credentials = await loadCredentials(ports, repository, url, pass)
  const includes = await resolveIncludes(ports.references, repository, settings.requeueDependencyMs)
  await noticeNewIncludes(repository, includes, pass)

  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(repository))])
  const session = ports.git.open({ url, credentials, signal })
  using commits = ports.commits(repository, url, credentials)
  try {
    const now = ports.clock.now()
    const [held, announced] = [contentIdOf(before?.revision), announcementFor(repository, now)]
    if (announced && announced.to !== held && isExpectable(repository)) {
      const shared = await commits.open(announced.to)
      if (shared?.leads ?? true) session.prefetch(announced.to)
    }
    const target = await (pass.dryRun
      ? sharedTarget(ports.git, { repository, url, credentials, isObserved: before !== undefined }, pass)
      : resolveTarget(session, repository, before !== undefined, pass))
    if (before && isBehind(target.commit, announced))
      return { ...unchanged(at, before), afterMs: retryDelayMs(announced, now) }
    const revision = revisionOf(target)
    const isKnown = !contentConfigChanged(repository, includes) && !requiresVerification(repository)
    if (before?.revision === revision && isKnown) return unchanged(at, before)
    endDryRun(pass, 'a new revision')
    const shared = await commits.open(target.commit)
    const taken = await shared?.take(repository, { file: fileOf(target), revision }, pass.signal)
    if (taken) {
      if (before?.revision !== revision) await noticeNewCommit(revision, before, pass)
      return withVerification(await finish(at, taken.artifact, taken.about, includes), notVerified)
    }
    const checkout = await checkoutTarget(session, target, repository, pass)
    const { commit, tree } = checkout
    const verification = await verifySignatures(ports, repository, checkout)
    if (verification.message) pass.event(quietEvent('Succeeded', verification.message))
    if (before?.revision !== revision) await noticeNewCommit(revision, before, pass)
    const files = await withIncludes(tree, repository.spec.include ?? [], includes, ports)
    const artifact = await storeTree(files, target, repository, ports, settings)
    const about = commitSubject(commit)
    await shared?.give({ artifact, about })
    return withVerification(await finish(at, artifact, about, includes), verification)
  } finally {
    await session.close()
  }
}

/** Reports a stored artifact, and deletes those that it replaces. */
const finish = async (
  at: GitContext,
  artifact: Artifact,
  subject: string,
  includes: readonly Artifact[],
): Promise<Done<GitRepository>> => {
  const { object: repository, pass, before, ports, settings } = at
  reportStored(repository, pass, commitStored(subject), { artifact, before })
  await tryCollectGarbage(repository, artifact, pass, ports, settings)
  return stored(at, artifact, includes)
}

/** Not for tags, which may be objects of their own, nor for sparse checkouts, which take several requests. */
const isExpectable = ({ spec: { ref, sparseCheckout } }: GitRepository): boolean =>
  !ref?.tag && (!ref?.name || ref.name.startsWith('refs/heads/')) && !sparseCheckout?.length

const noticeNewIncludes = async (
  { status }: GitRepository,
  includes: readonly Artifact[],
  pass: Pass<GitRepository>,
) => {
  if (!includesDiffer(includes, status?.includedArtifacts)) return
  await noticeOutdated(pass, status?.includedArtifacts, {
    reason: 'IncludeChange',
    message: 'included artifacts differ from last observed includes',
    conditions: { IncludeUnavailable: null },
  })
}

const noticeNewCommit = (revision: string, before: Artifact | undefined, pass: Pass<GitRepository>): Promise<void> =>
  noticeNewRevision(pass, before, `new upstream revision '${revision}'`, {
    FetchFailed: null,
    IncludeUnavailable: null,
  })

const commitStored = (commit: string): string => `stored artifact for commit '${commit}'`

const unchanged = ({ object: repository, pass, settings }: GitContext, before: Artifact): Done<GitRepository> => {
  const { ref, verify } = repository.spec
  const artifact = withCurrentUrl(before, settings)
  const { revision } = artifact
  // Flux compares revisions before it clones where possible; the two cases have different events.
  const isCloned = ref?.commit || ref?.semver
  const noChanges = `no changes since last reconciliation: observed revision '${revision}'`
  if (wasRequested(repository))
    pass.event(isCloned ? upToDate(revision) : quietEvent('GitOperationSucceeded', noChanges))
  reportStored(repository, pass, commitStored(revision), { artifact, before })
  const done = { ...fetched(artifact), status: { artifact } }
  return verify ? done : withVerification(done, notVerified)
}

const notVerified: Verification = { condition: null, mode: null }

const withVerification = (done: Done<GitRepository>, { condition, mode }: Verification): Done<GitRepository> => ({
  ...done,
  conditions: { ...done.conditions, SourceVerified: condition },
  status: { ...done.status, sourceVerificationMode: mode },
})

const stored = (
  { object: { spec }, before }: GitContext,
  artifact: Artifact,
  includes: readonly Artifact[],
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
  ...enqueueDependents(artifact, before),
})

const fetched = ({ revision }: Artifact): Done<never> =>
  succeeded(`stored artifact for revision '${revision}'`, { IncludeUnavailable: null })
