import type { ReleaseHook } from '../../engines/helm/release/release.ts'
import { errorMessage } from '../../foundations/rules/error-message.ts'
import type { ActionDeps, ActionOutcome, TestRequest } from './action.ts'
import { runHooks } from './hooks.ts'
import { initialProgress } from './progress.ts'
import { ActionFailed, type ActionRun, NotYet, runAction } from './run.ts'
import { NOT_FOUND } from './uninstall.ts'

/** Runs the tests of a release's last version that match the filters, or continues them. Throws ReleaseError. */
export const test = (deps: ActionDeps, request: TestRequest): Promise<ActionOutcome> =>
  runAction(deps, async run => {
    const [last] = await deps.storage.history(request.name)
    if (!last) throw new ActionFailed(NOT_FOUND)
    const { progress } = last
    const isOurs = progress?.action === 'test' && progress.token === request.token
    run.begin(isOurs ? last : { release: last.release, progress: initialProgress('test', request, deps.clock.now()) })
    if (!isOurs) run.enter('before')
    const isSelected = selection(request)
    const { release } = run.current
    try {
      const serverSideApply = release.apply_method === 'ssa'
      await runHooks(run, 'test', { ...request, hooks: true }, serverSideApply, isSelected)
    } catch (error) {
      if (!(error instanceof NotYet)) await settle(run, isSelected, errorMessage(error))
      throw error
    }
    return settle(run, isSelected)
  })

const selection = ({ filters }: TestRequest): ((hook: ReleaseHook) => boolean) => {
  const excluded = filters.filter(({ exclude }) => exclude).map(({ name }) => name)
  const included = filters.filter(({ exclude }) => !exclude).map(({ name }) => name)
  return ({ name }) => !excluded.includes(name) && (included.length === 0 || included.includes(name))
}

/** Like Helm, moves hooks that were not selected to the front. */
const settle = async (run: ActionRun, isSelected: (hook: ReleaseHook) => boolean, failure?: string) => {
  const { release } = run.current
  const { hooks = [] } = release
  const sorted = { ...release, hooks: [...hooks.filter(hook => !isSelected(hook)), ...hooks.filter(isSelected)] }
  await run.end(sorted, failure)
  return sorted
}
