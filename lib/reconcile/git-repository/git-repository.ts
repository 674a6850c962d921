import type { Hub } from '../../hub/hub.ts'
import { type Artifact, blobNameOf } from '../../kinds/artifact.ts'
import { intervalOf, requestedAtOf } from '../../kinds/flux.ts'
import { type GitRepository, gitRepository, timeoutOf } from '../../kinds/git-repository.ts'
import type { ArtifactStore } from '../../ports/artifacts.ts'
import type { Clock } from '../../ports/clock.ts'
import { isConditionTrue, timestamp } from '../../rules/conditions.ts'
import { archive, ignoresOf } from '../../source/artifact/archive.ts'
import type { SourceTree } from '../../source/artifact/source-tree.ts'
import type { Checkout, GitClient, GitVisit } from '../../source/git/git-client.ts'
import { GitError } from '../../source/git/git-error.ts'
import { revisionOf, type Target } from '../../source/git/reference.ts'
import { Halt } from '../runtime/halt.ts'
import type { Done, NewEvent, Pass, Reconciler, Unfinished } from '../runtime/reconciler.ts'
import { type ArtifactRetention, collectGarbage, deleteAll, folderOf } from './artifact-folder.ts'
import { contentConfigChanged, includesDiffer } from './content-config.ts'
import { fetchFailed, storageFailed } from './halts.ts'
import { resolveIncludes, withIncludes } from './includes.ts'
import { loadCredentials } from './load-credentials.ts'
import { requireSupported } from './require-supported.ts'

export interface GitRepositoryPorts {
  readonly hub: Pick<Hub, 'get'>
  readonly artifacts: ArtifactStore
  readonly git: GitClient
  readonly clock: Clock
}

export interface GitRepositorySettings {
  /** Where the hub serves artifacts, without a slash at the end: `http://127.0.0.1:9790`. */
  readonly artifactAddress: string
  readonly retention: ArtifactRetention
  /** How long to wait for an included repository before looking again, in milliseconds. */
  readonly requeueDependencyMs: number
}

type GitPass = Pass<GitRepository>

/** Keeps an artifact of the files that a GitRepository refers to, as source-controller does. */
export const gitRepositoryReconciler = (
  ports: GitRepositoryPorts,
  settings: GitRepositorySettings,
): Reconciler<GitRepository> => ({
  kind: gitRepository,
  stage: 'source',
  manager: 'source-controller',
  intervalOf,
  passTimeoutOf: repository => timeoutOf(repository) + 30_000,
  reconcile: (repository, pass) => attempt(repository, pass, ports, settings).catch(outcomeOf),
  finalize: (repository, pass) => finalize(repository, pass, ports.artifacts),
})

const outcomeOf = (error: unknown) => {
  if (error instanceof Halt) return (error as Halt<GitRepository>).outcome
  throw error
}

const attempt = async (
  repository: GitRepository,
  pass: GitPass,
  ports: GitRepositoryPorts,
  settings: GitRepositorySettings,
): Promise<Done<GitRepository>> => {
  await pass.open()
  const before = await findStored(repository, pass, ports.artifacts)
  const url = requireSupported(repository)
  const credentials = await loadCredentials(ports.hub, repository, url)
  const includes = await resolveIncludes(ports.hub, repository, settings.requeueDependencyMs)
  await noticeNewIncludes(repository, includes, pass)

  const signal = AbortSignal.any([pass.signal, AbortSignal.timeout(timeoutOf(repository))])
  const visit = ports.git.visit({ url, credentials, signal })
  try {
    const target = await gitOperation(visit.resolve(repository.spec.ref ?? {}, before !== undefined), pass)
    const revision = revisionOf(target)
    if (before?.revision === revision && !contentConfigChanged(repository, includes)) {
      return unchanged(repository, before, target, pass, settings)
    }
    const checkout = await fetch(visit, target, repository, pass)
    if (before?.revision !== revision) await noticeNewRevision(revision, before, pass)
    const tree = await withIncludes(checkout.tree, repository.spec.include ?? [], includes, ports.artifacts)
    const artifact = await store(tree, target, repository, ports, settings)
    await tidyUp(artifact, pass, ports, settings)
    if (artifact.digest !== before?.digest) pass.event(news('NewArtifact', subjectOf(checkout), artifact))
    else noticeRecovery(repository, subjectOf(checkout), artifact, pass)
    return stored(artifact, includes, repository, before)
  } finally {
    await visit.close()
  }
}

/** The artifact of the last pass, unless it has vanished from the store. */
const findStored = async ({ status }: GitRepository, pass: GitPass, artifacts: ArtifactStore) => {
  const artifact = status?.artifact
  if (artifact && (await artifacts.has(blobNameOf(artifact)))) return artifact
  const message = artifact ? 'building artifact: disappeared from storage' : 'building artifact'
  await pass.progress(message, {
    status: { artifact: null },
    conditions: { ArtifactInStorage: null, StorageOperationFailed: null },
  })
  return undefined
}

const noticeNewIncludes = async ({ status }: GitRepository, includes: readonly Artifact[], pass: GitPass) => {
  if (!includesDiffer(includes, status?.includedArtifacts)) return
  const message = 'included artifacts differ from last observed includes'
  const ArtifactOutdated = { status: 'True', reason: 'IncludeChange', message } as const
  await pass.progress(`building artifact: ${message}`, {
    conditions: { IncludeUnavailable: null, ...(status?.includedArtifacts && { ArtifactOutdated }) },
  })
}

const noticeNewRevision = async (revision: string, before: Artifact | undefined, pass: GitPass) => {
  const message = `new upstream revision '${revision}'`
  const ArtifactOutdated = { status: 'True', reason: 'NewRevision', message } as const
  await pass.progress(`building artifact: ${message}`, {
    conditions: { FetchFailed: null, IncludeUnavailable: null, ArtifactOutdated: before ? ArtifactOutdated : null },
  })
}

const gitOperation = async <T>(operation: Promise<T>, pass: GitPass): Promise<T> => {
  try {
    return await operation
  } catch (error) {
    pass.signal.throwIfAborted()
    if (!(error instanceof GitError)) throw error
    if (error.code === 'emptyRepository') throw fetchFailed('EmptyGitRepository', error.message, error)
    throw fetchFailed('GitOperationFailed', `failed to checkout and determine revision: ${error.message}`, error)
  }
}

const fetch = async (visit: GitVisit, target: Target, { spec }: GitRepository, pass: GitPass): Promise<Checkout> => {
  const folders = spec.sparseCheckout?.map(folder => folder.replace(/^\.\//, ''))
  const checkout = await gitOperation(visit.fetch(target, folders?.length ? folders : undefined), pass)
  const paths = [...checkout.tree.keys()]
  for (const folder of folders ?? []) {
    const path = folder.replace(/^\/+|\/+$/g, '')
    if (path === '' || path === '.' || paths.some(file => file === path || file.startsWith(`${path}/`))) continue
    const message = `failed to sparse checkout directories : sparse checkout dir '${folder}' does not exist in repository`
    throw fetchFailed('GitOperationFailed', message)
  }
  return checkout
}

/** Packs the files and puts them into the store; the artifact says what and where. */
const store = async (
  tree: SourceTree,
  target: Target,
  repository: GitRepository,
  { artifacts, clock }: GitRepositoryPorts,
  { artifactAddress }: GitRepositorySettings,
): Promise<Artifact> => {
  const { content, digest } = await archive(tree, ignoresOf(tree, repository.spec.ignore))
  const path = `${folderOf(repository)}${target.commit}.tar.gz`
  await artifacts.put(blobNameOf({ path, digest }), content).catch(error => {
    const reason = error instanceof Error ? error.message : String(error)
    throw storageFailed('ArchiveOperationFailed', `unable to archive artifact to storage: ${reason}`, error)
  })
  return {
    digest,
    lastUpdateTime: timestamp(clock.now()),
    path,
    revision: revisionOf(target),
    size: content.length,
    url: `${artifactAddress}/${path}`,
  }
}

/** Garbage is no reason for the pass to fail: it is collected with the next artifact. */
const tidyUp = async (
  artifact: Artifact,
  pass: GitPass,
  { artifacts, clock }: GitRepositoryPorts,
  { retention }: GitRepositorySettings,
) => {
  const collected = await collectGarbage(artifacts, artifact, retention, clock.now()).catch(() => 0)
  if (collected > 0) pass.event(garbageCollected(`garbage collected ${collected} artifacts`))
}

const garbageCollected = (message: string): NewEvent => ({
  severity: 'info',
  reason: 'GarbageCollectionSucceeded',
  message,
  quiet: true,
})

/** Nothing to do. Told to people only when somebody asked, or changed the spec: not every interval anew. */
const unchanged = (
  repository: GitRepository,
  before: Artifact,
  target: Target,
  pass: GitPass,
  { artifactAddress }: GitRepositorySettings,
): Done<GitRepository> => {
  const { metadata, status, spec } = repository
  const isAsked =
    metadata.generation !== status?.observedGeneration || requestedAtOf(repository) !== status?.lastHandledReconcileAt
  if (isAsked) pass.event(upToDate(before.revision, spec.ref?.commit !== undefined || spec.ref?.semver !== undefined))
  const artifact = { ...before, url: `${artifactAddress}/${before.path}` }
  noticeRecovery(repository, revisionOf(target), artifact, pass)
  return { ...success(artifact), status: { artifact } }
}

/** Flux compares before it clones where it can; the two cases have events of their own. */
const upToDate = (revision: string, isFetched: boolean): NewEvent =>
  isFetched
    ? {
        severity: 'info',
        reason: 'ArtifactUpToDate',
        message: `artifact up-to-date with remote revision: '${revision}'`,
        quiet: true,
      }
    : {
        severity: 'info',
        reason: 'GitOperationSucceeded',
        message: `no changes since last reconciliation: observed revision '${revision}'`,
        quiet: true,
      }

const noticeRecovery = ({ status }: GitRepository, commit: string, artifact: Artifact, pass: GitPass): void => {
  const failures = ['FetchFailed', 'IncludeUnavailable', 'StorageOperationFailed']
  if (failures.some(type => isConditionTrue(status?.conditions, type))) pass.event(news('Succeeded', commit, artifact))
}

const news = (reason: string, commit: string, { revision, digest }: Artifact): NewEvent => ({
  severity: 'info',
  reason,
  message: `stored artifact for commit '${commit}'`,
  metadata: { 'source.toolkit.fluxcd.io/revision': revision, 'source.toolkit.fluxcd.io/digest': digest },
})

/** The first line of the commit's message, cut to 50 characters. */
const subjectOf = ({ commit }: Checkout): string => {
  const characters = [...commit.message.split('\n')[0]!]
  return characters.length > 50 ? `${characters.slice(0, 50).join('')}...` : characters.join('')
}

const success = ({ revision }: Artifact): Done<GitRepository> => {
  const message = `stored artifact for revision '${revision}'`
  return {
    type: 'done',
    reason: 'Succeeded',
    message,
    conditions: {
      ArtifactInStorage: { status: 'True', reason: 'Succeeded', message },
      ArtifactOutdated: null,
      FetchFailed: null,
      IncludeUnavailable: null,
      StorageOperationFailed: null,
    },
  }
}

const stored = (
  artifact: Artifact,
  includes: readonly Artifact[],
  { spec }: GitRepository,
  before: Artifact | undefined,
): Done<GitRepository> => ({
  ...success(artifact),
  status: {
    artifact,
    includedArtifacts: includes.length > 0 ? includes : null,
    observedIgnore: spec.ignore ?? null,
    observedInclude: spec.include?.length ? spec.include : null,
    observedSparseCheckout: spec.sparseCheckout?.length ? spec.sparseCheckout : null,
  },
  ...((artifact.digest !== before?.digest || artifact.revision !== before.revision) && { announce: 'artifact' }),
})

const finalize = async (
  repository: GitRepository,
  pass: GitPass,
  artifacts: ArtifactStore,
): Promise<Unfinished<GitRepository> | undefined> => {
  try {
    const deleted = await deleteAll(artifacts, repository)
    if (deleted > 0) pass.event(garbageCollected('garbage collected artifacts for deleted resource'))
    return undefined
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    const message = `garbage collection for deleted resource failed: ${reason}`
    return { type: 'failed', reason: 'GarbageCollectionFailed', message, cause: error }
  }
}
