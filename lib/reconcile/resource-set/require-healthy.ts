import type { ChangeSet } from '../../clusters/apply/change-set.ts'
import type { RenderedStep } from '../../engines/resource-set/render.ts'
import { durationMs } from '../../foundations/kinds/duration.ts'
import type { ResourceSet } from '../../foundations/kinds/resource-set.ts'
import { timeoutOf } from '../../foundations/kinds/resource-set.ts'
import { healthPollMs } from '../../foundations/rules/schedule.ts'
import { Halt } from '../runtime/halt.ts'
import type { Context } from './context.ts'
import { judgeHealth } from './health.ts'
import { type OngoingWait, waitOf } from './ongoing-wait.ts'
import type { ResourceSetRun } from './run.ts'
import { runFailure } from './run.ts'

/** Requires the applied objects to be healthy. Halts while they are not; later passes poll again, until the timeout. */
export const requireHealthy = async (
  run: ResourceSetRun,
  step: RenderedStep,
  changes: ChangeSet,
  ongoing: OngoingWait | undefined,
  { unfinished }: Pick<Context, 'unfinished'>,
): Promise<void> => {
  const { applier: set, clock, digest } = run
  const { name = '' } = step
  const isContinued = ongoing?.digest === digest && ongoing.step === name
  const since = isContinued ? ongoing.since : clock.now()
  const timeout = timeoutFor(run, step)
  const targets = changes.filter(({ action }) => action !== 'skipped') // objects that are left alone may be in any state
  const verdict = await judgeHealth(run, targets, clock.now() - since >= timeout)
  if (verdict.type === 'healthy') return
  if (verdict.type === 'unhealthy') {
    const where = set.spec.steps ? `step "${name}" health check failed: ` : ''
    throw runFailure(run, `${where}${verdict.message}\n`)
  }
  const afterMs = healthPollMs(clock.now() - since, timeout)
  if (!isContinued) await unfinished.keep(set, waitOf(run, name, since))
  throw new Halt<ResourceSet>({ type: 'waiting', afterMs })
}

const timeoutFor = ({ applier: set }: ResourceSetRun, { name }: RenderedStep): number => {
  const timeout = set.spec.steps?.find(step => step.name === name)?.timeout
  return timeout === undefined ? timeoutOf(set) : durationMs(timeout)
}
