import type { FunctionMap } from '../../engines/template/values/value.ts'
import { isReconcileRequested } from '../../foundations/kinds/flux.ts'
import { type ImageRef, isSameImage } from '../../foundations/kinds/image-fields.ts'
import { type ImagePolicy, imagePolicy } from '../../foundations/kinds/image-policy.ts'
import { type ImageUpdateAutomation, intervalOf } from '../../foundations/kinds/image-update-automation.ts'
import { timestamp } from '../../foundations/rules/conditions.ts'
import { selectorText } from '../../foundations/rules/label-selector-text.ts'
import { namespaceOf } from '../../hub/references/references.ts'
import type { RepositoryPushPorts } from '../../signals/webhook/repository-push.ts'
import type { PullRequestClient } from '../../sources/forge/pull-requests/pull-request-client.ts'
import type { Clone } from '../../sources/git/clone.ts'
import type { GitClient } from '../../sources/git/git-client.ts'
import { GitError } from '../../sources/git/git-error.ts'
import { revisionOf, type Target } from '../../sources/git/reference.ts'
import { outcomeOfHalt } from '../runtime/halt.ts'
import type { Done, Pass, Reconciler } from '../runtime/reconciler.ts'
import { branchReference, commitAndPush, messageOf, type Pushed } from './commit-and-push.ts'
import { completePush } from './complete-push.ts'
import { failed, stalled } from './halts.ts'
import { imageUpdateAutomationAddress } from './image-update-automation-address.ts'
import { type AutomationSettings, type AutomationSource, type OpenSourcePorts, openSource } from './open-source.ts'
import { type Proposed, proposeChanges } from './propose-changes.ts'
import { type Heads, reconcileSources } from './reconcile-sources.ts'
import { type RunInTurn, sharedClones } from './shared-clones.ts'
import { startRun } from './start-run.ts'

export interface AutomationPorts extends OpenSourcePorts, RepositoryPushPorts {
  readonly git: () => Promise<GitClient>
  readonly pullRequests: () => Promise<PullRequestClient>
  /** For templates of commit messages. */
  readonly functions: () => Promise<FunctionMap>
}

type Automation = ImageUpdateAutomation

/** Writes the latest images into git repositories, as image-automation-controller does. */
export const imageUpdateAutomationReconciler = (
  given: AutomationPorts,
  settings: AutomationSettings,
): Reconciler<Automation> => {
  const ports = { ...given, runInTurn: sharedClones() }
  return {
    ...imageUpdateAutomationAddress,
    manager: 'image-automation-controller',
    intervalOf,
    passTimeoutOf: () => 10 * 60_000,
    reconcile: (automation, pass) => attempt(automation, pass, ports, settings).catch(outcomeOfHalt),
    finalize: async () => undefined,
  }
}

/** How often a run starts over because another client has pushed since. */
const maxRuns = 3

const attempt = async (
  automation: Automation,
  pass: Pass<Automation>,
  ports: AutomationPorts & { readonly runInTurn: RunInTurn },
  settings: AutomationSettings,
): Promise<Done<Automation>> => {
  await pass.open()
  const policies = await selectPolicies(automation, ports)
  const source = await openSource(automation, ports, settings, pass.signal)
  const ended = await ports.runInTurn(source, pass.signal, clone =>
    runUntilPushed(automation, { policies, source, clone }, ports, pass.signal),
  )
  if (ended.heads) await reconcileSources(automation, source, ended.heads, ports, settings)
  return done(automation, pass, policies, ended)
}

const runUntilPushed = async (
  automation: Automation,
  input: RunInput,
  ports: AutomationPorts,
  signal: AbortSignal,
): Promise<Ended> => {
  for (let run = 1; ; run++)
    try {
      return await runOnce(automation, input, ports, signal)
    } catch (error) {
      if (!(error instanceof GitError)) throw error
      if (run < maxRuns) continue
      const message = `failed to update source: failed to push to remote: ${error.message}`
      throw failed('GitOperationFailed', message, error)
    }
}

/** The policies of the namespace that are selected and have chosen an image. */
const selectPolicies = async (automation: Automation, { references }: AutomationPorts) => {
  const all = await references.localList<ImagePolicy>(automation, imagePolicy, selectorOf(automation))
  return all.flatMap(({ metadata, status }) => {
    const { latestRef } = status ?? {}
    return latestRef ? [{ namespace: namespaceOf({ metadata }), name: metadata.name, latestRef }] : []
  })
}

const selectorOf = ({ spec }: Automation): string => {
  try {
    return selectorText(spec.policySelector ?? {})
  } catch (error) {
    throw stalled('InvalidPolicySelector', `failed to parse policy selector: ${(error as Error).message}`)
  }
}

type ChosenPolicies = Awaited<ReturnType<typeof selectPolicies>>

interface Ended {
  /** The revision that was found, or made. */
  readonly revision: string
  /** Neither policies nor the repository have changed since the last run. */
  readonly isSkipped?: true
  readonly pushed?: Pushed
  readonly proposed?: Proposed
  /** The commit of this automation that the push branch is at; undefined if that is not known. */
  readonly commit?: string
  /** What sources may follow and not have yet. */
  readonly heads?: Heads
}

interface RunInput {
  readonly policies: ChosenPolicies
  readonly source: AutomationSource
  readonly clone: Clone | undefined
}

/** One run over the present state of the repository. Halts on failure; throws GitError `conflict` if another client has pushed since. */
const runOnce = async (
  automation: Automation,
  { policies, source, clone }: RunInput,
  { git, pullRequests, clock, functions }: AutomationPorts,
  passSignal: AbortSignal,
): Promise<Ended> => {
  const signal = AbortSignal.any([passSignal, AbortSignal.timeout(source.timeoutMs)])
  const session = (await git()).open({ url: source.url, credentials: source.credentials, signal, clone })
  try {
    const target = await session.resolve(source.reference).catch(checkoutFailed(passSignal))
    const revision = shortRevision(target)
    if (!mustRun(automation, policies, source) && automation.status?.observedSourceRevision === revision)
      return { revision, isSkipped: true }
    const start = await startRun(automation, session, { source, target, policies }).catch(checkoutFailed(passSignal))
    const { checkout, branchHead, updated, proposed = updated.changes, isOwnHead } = start
    const isPushed = updated.files.size > 0
    // A run that has ended after its push, or failed, has left the rest.
    const isUnfinished = branchHead !== undefined && branchHead !== automation.status?.lastPushCommit
    const isProposed = source.proposal && proposed.size > 0 && (isPushed || isUnfinished)
    const heads = headsOf(source.pushBranch, branchHead)
    const own = isOwnHead ? branchHead : undefined
    if (!isPushed && !isProposed) {
      const completed = await completePush(automation, session, { checkout, branchHead, source, now: clock.now() })
      if (completed) return { revision, commit: completed.commit, pushed: completed, heads: completed }
      return { revision, ...heads, ...(own && { commit: own }) }
    }
    const options = { checkout, branchHead, updated, source, functions: await functions(), now: clock.now() }
    const pushed = isPushed ? await commitAndPush(automation, session, options) : undefined
    const made =
      pushed && !source.switchesBranch ? revisionOf({ label: pushed.branch, commit: pushed.commit }) : revision
    const commit = pushed?.commit ?? own
    const ended = { revision: made, ...heads, ...(pushed && { pushed, heads: pushed }), ...(commit && { commit }) }
    if (!isProposed) return ended
    const message = messageOf(automation, { changes: proposed, functions: options.functions })
    const proposal = { source, message, changes: proposed, signal }
    return { ...ended, proposed: await proposeChanges(automation, await pullRequests(), proposal) }
  } finally {
    await session.close()
  }
}

/** Full names of references are cut, other than in revisions of GitRepositories. */
const shortRevision = ({ label, commit }: Target): string =>
  revisionOf({ commit, ...(label && { label: label.replace(/^refs\/[^/]+\//, '') }) })

/** A run that died after its push has left the branch there. */
const headsOf = (branch: string, commit: string | undefined): { readonly heads?: Heads } =>
  commit === undefined ? {} : { heads: { references: [branchReference(branch)], commit } }

/** Whether a run may have something to do even in an unchanged repository. Other branches are not observed. */
const mustRun = (
  { metadata, spec, status }: Automation,
  policies: ChosenPolicies,
  { switchesBranch, proposal }: AutomationSource,
): boolean =>
  metadata.generation !== status?.observedGeneration ||
  (switchesBranch && !proposal) ||
  Boolean(spec.git?.push?.refspec) ||
  !isSameSet(policies, status?.observedPolicies ?? {})

const checkoutFailed =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    signal.throwIfAborted()
    if (!(error instanceof GitError)) throw error
    throw failed('GitOperationFailed', `failed to checkout source: ${error.message}`, error)
  }

const isSameSet = (policies: ChosenPolicies, observed: Readonly<Record<string, ImageRef>>): boolean =>
  policies.length === Object.keys(observed).length &&
  policies.every(({ name, latestRef }) => isSameImage(latestRef, observed[name]))

const upToDate = 'repository up-to-date'

const done = (
  automation: Automation,
  pass: Pass<Automation>,
  policies: ChosenPolicies,
  ended: Ended,
): Done<Automation> => {
  const { revision, isSkipped, commit, pushed } = ended
  report(automation, pass, ended)
  return {
    type: 'done',
    reason: 'Succeeded',
    message: upToDate,
    status: {
      lastAutomationRunTime: timestamp(pass.startedAt),
      ...(!isSkipped && {
        observedSourceRevision: revision,
        observedPolicies: policies.length
          ? Object.fromEntries(policies.map(({ name, latestRef }) => [name, latestRef]))
          : undefined,
      }),
      ...(commit && { lastPushCommit: commit }),
      ...(pushed && { lastPushTime: timestamp(pass.startedAt) }),
    },
  }
}

/** An event for each push, and for a success after failures. One that all is as before only when a pass was requested. */
const report = (automation: Automation, pass: Pass<Automation>, ended: Ended): void => {
  const event = { severity: 'info', reason: 'Succeeded' } as const
  const { conditions = [] } = automation.status ?? {}
  const wasReady = conditions.some(({ type, status }) => type === 'Ready' && status === 'True')
  const summary = summaryOf(ended)
  if (summary) pass.event({ ...event, message: summary })
  else if (!wasReady) pass.event({ ...event, message: upToDate })
  else if (isReconcileRequested(automation))
    pass.event({ ...event, message: ended.isSkipped ? 'no change since last reconciliation' : upToDate, quiet: true })
}

const summaryOf = ({ pushed, proposed }: Ended): string => {
  const proposal = proposed ? [`${proposed.what} pull request ${proposed.url}`] : []
  if (!pushed) return proposal.join('')
  const { commit, branch, refspec, message } = pushed
  const also = refspec ? ` and refspecs '${refspec}'` : ''
  const what = [`pushed commit '${commit.slice(0, 7)}' to branch '${branch}'${also}`, ...proposal].join(', ')
  return `${what}${message && `\n${message}`}`
}
