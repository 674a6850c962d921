import { type Release, withStatus } from '../../engines/helm/release/release.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import type { ActionDeps, ActionOutcome, ActionRequest } from './action.ts'
import { runHooks } from './hooks.ts'
import { withOwnership } from './ownership.ts'
import { isBegunBy } from './progress.ts'
import { replaceObjects } from './replace-objects.ts'
import { ActionFailed, type ActionRun, type FailureHandler, orFail, runAction, withContext } from './run.ts'
import type { StoredRelease } from './storage.ts'

interface SupersedeRequest extends ActionRequest {
  readonly force: boolean
}

/** The differences between an upgrade and a rollback: both create a new version whose objects replace those of another. */
export interface Supersession {
  readonly action: 'upgrade' | 'rollback'
  /** Helm's message if there is no release yet. */
  readonly missing: string
  /** Writes the new version, before anything of it is applied. */
  begin(run: ActionRun, history: readonly StoredRelease[]): Promise<void>
  /** How the failure of the new version is stored. `original` is the version whose objects it replaces. */
  failureHandler(run: ActionRun, original: Release | undefined): FailureHandler
  /** Whether Helm prefixes the failure of a hook with its event. */
  readonly namesHooks: boolean
  /** Whether fields that were applied client-side become server-side apply's own. */
  upgradesManagers(original: Release | undefined): boolean
  /** The versions that are superseded once the new one is deployed. */
  superseded(history: readonly Release[], original: Release | undefined): readonly Release[]
  readonly description?: string
}

/** Replaces a version by another, or continues replacing it. Throws ReleaseError. */
export const supersede = (
  deps: ActionDeps,
  request: SupersedeRequest,
  supersession: Supersession,
): Promise<ActionOutcome> =>
  runAction(deps, async run => {
    const history = await deps.storage.history(request.name)
    const [last] = history
    if (!last) throw new ActionFailed(supersession.missing)
    if (isBegunBy(last, supersession.action, request)) run.begin(last)
    else await supersession.begin(run, history)
    const { from } = run.current.progress
    const releases = history.map(({ release }) => release)
    const original = releases.find(({ version }) => version === from)
    await orFail(
      run,
      () => perform(run, original, request, supersession),
      () => supersession.failureHandler(run, original),
    )
    for (const release of supersession.superseded(releases, original))
      await run.settle(withStatus(release, 'superseded'))
    const deployed = withStatus(run.current.release, 'deployed', supersession.description)
    await run.end(deployed)
    return deployed
  })

const perform = async (
  run: ActionRun,
  original: Release | undefined,
  request: SupersedeRequest,
  { action, namesHooks, upgradesManagers }: Supersession,
): Promise<void> => {
  const { release } = run.current
  const { namespace = request.namespace } = release
  const serverSideApply = release.apply_method === 'ssa'
  const hooks = async (when: 'pre' | 'post') => {
    const event = `${when}-${action}` as const
    try {
      await runHooks(run, event, request, serverSideApply)
    } catch (error) {
      throw namesHooks ? withContext(`${event} hooks failed`, error) : error
    }
  }
  if (run.current.progress.step === 'before') {
    await hooks('pre')
    run.enter('objects')
  }
  const owned = (object: KubernetesObject) => withOwnership(object, { name: request.name, namespace })
  const upgradeManagers = serverSideApply && upgradesManagers(original)
  await replaceObjects(run, original, owned, { ...request, serverSideApply, upgradeManagers })
  await hooks('post')
}
