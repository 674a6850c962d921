import { goJson } from '../../engines/yaml/go-json.ts'
import type { JsonValue } from '../../engines/yaml/json-value.ts'
import { formatDuration } from '../../foundations/kinds/duration.ts'
import { forceAtAnnotation, requestedAtOf } from '../../foundations/kinds/flux.ts'
import { isReconcileDisabled } from '../../foundations/kinds/flux-operator.ts'
import type { InputSet } from '../../foundations/kinds/resource-set.ts'
import type { ResourceSetInputProvider } from '../../foundations/kinds/resource-set-input-provider.ts'
import { intervalOf, timeoutOf } from '../../foundations/kinds/resource-set-input-provider.ts'
import { isConditionTrue, timestamp } from '../../foundations/rules/conditions.ts'
import type { NextStart, Timetable } from '../../foundations/rules/provider-schedule.ts'
import { timetable } from '../../foundations/rules/provider-schedule.ts'
import { sha256Digest } from '../../foundations/rules/sha256.ts'
import { disabledEvent } from '../resource-set/events.ts'
import type { Done, NewEvent, Outcome, Pass, Reconciler, StatusChange } from '../runtime/reconciler.ts'
import type { InputProviderPorts } from './context.ts'
import { exportInputs } from './export-inputs.ts'
import { outcomeOf, terminal } from './failure.ts'
import { inputProviderAddress } from './input-provider-address.ts'

type Provider = ResourceSetInputProvider

/** Exports the inputs of a provider, like flux-operator, and enqueues dependent ResourceSets. */
export const inputProviderReconciler = (ports: InputProviderPorts): Reconciler<Provider> => ({
  ...inputProviderAddress,
  manager: 'gotk-flux-operator',
  component: 'flux-operator',
  finalizer: 'fluxcd.controlplane.io/finalizer',
  observesGeneration: false,
  intervalOf,
  maxWaitOf: provider => ((provider.spec.schedule ?? []).length > 0 ? Number.POSITIVE_INFINITY : intervalOf(provider)),
  passTimeoutOf: timeoutOf,
  reconcile: (provider, pass) => attempt(provider, pass, ports).catch(outcomeOf(pass.signal)),
  finalize: async () => undefined,
})

const inProgress = 'Reconciliation in progress'

const attempt = async (
  provider: Provider,
  pass: Pass<Provider>,
  ports: InputProviderPorts,
): Promise<Outcome<Provider>> => {
  if (isReconcileDisabled(provider)) {
    pass.event(disabledEvent)
    return { type: 'resting', reason: 'ReconciliationDisabled', message: 'Initialized with reconciliation suspended' }
  }
  const { clock } = ports
  const schedule = await readSchedule(provider, pass)
  if (!schedule.mayRun(clock.now()) && !isForced(provider)) return skip(provider, schedule, pass, clock.now())
  // A ready provider stays ready while it checks again.
  if (!isConditionTrue(provider.status?.conditions, 'Ready')) await pass.progress(inProgress, { fleeting: true })
  const warn = (message: string) => pass.event({ severity: 'error', reason: 'InputsIncomplete', message })
  const inputs = await exportInputs(provider, ports, pass.signal, warn)
  return succeed(provider, inputs, schedule, pass, clock.now())
}

const readSchedule = async ({ metadata, spec, ...rest }: Provider, pass: Pass<Provider>): Promise<Timetable> => {
  try {
    return timetable(spec.schedule ?? [], timeoutOf({ metadata, spec, ...rest }))
  } catch (error) {
    await pass.progress(inProgress, { fleeting: true })
    throw terminal('InvalidSchedule', (error as Error).message)
  }
}

/** An unscheduled run is requested by two annotations with the same value, that of an unhandled reconcile request. */
const isForced = (provider: Provider): boolean => {
  const requestedAt = requestedAtOf(provider)
  const forceAt = provider.metadata.annotations?.[forceAtAnnotation]
  return forceAt !== undefined && forceAt === requestedAt && forceAt !== provider.status?.lastHandledReconcileAt
}

/** Conditions stay as they are. */
const skip = (provider: Provider, { nextStart }: Timetable, pass: Pass<Provider>, now: number): Outcome<Provider> => {
  const next = nextStart(now, 0)
  const when = next ? `, next run at ${timestamp(next.at)}` : ''
  pass.event({
    severity: 'info',
    reason: 'SkippedDueToSchedule',
    message: `Reconciliation skipped due to schedule${when}`,
  })
  const afterMs = next ? next.at - now : intervalOf(provider)
  return { type: 'waiting', afterMs, status: { nextSchedule: scheduleStatus(next) } }
}

const scheduleStatus = (next: NextStart | undefined): StatusChange<Provider>['nextSchedule'] =>
  next ? { ...next.schedule, when: timestamp(next.at) } : null

const succeed = (
  provider: Provider,
  exportedInputs: readonly InputSet[],
  { nextStart }: Timetable,
  pass: Pass<Provider>,
  now: number,
): Done<Provider> => {
  const revision = sha256Digest(goJson(exportedInputs as unknown as JsonValue))
  const [reason, message] = [
    'ReconciliationSucceeded',
    `Reconciliation finished in ${formatDuration(now - pass.startedAt)}`,
  ]
  pass.event(finished(reason, `${message}, revision ${revision}`, revision))
  const next = nextStart(now, intervalOf(provider))
  return {
    type: 'done',
    reason,
    message,
    status: {
      exportedInputs,
      lastExportedRevision: revision,
      nextSchedule: scheduleStatus(next),
      ...(isForced(provider) && { lastHandledForceAt: requestedAtOf(provider) }),
    },
    ...(revision !== provider.status?.lastExportedRevision && { triggersDependents: 'artifact' }),
    ...(next && { afterMs: next.at - now }),
  }
}

const finished = (reason: string, message: string, revision: string): NewEvent => ({
  severity: 'info',
  reason,
  message,
  metadata: { 'fluxcd.controlplane.io/revision': revision },
})
