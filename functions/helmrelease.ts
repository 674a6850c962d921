import type { Context, SQSEvent } from 'aws-lambda'
import { isPlanReleaseRequest, parsePlanReleaseRequest } from '../events/plan-release.ts'
import { wakeUpsOf } from '../lib/compose/aws/wake-ups.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { composeHelmReleases } from '../lib/compose/helm-releases.ts'
import { composeRollouts } from '../lib/compose/rollouts.ts'
import { once } from '../lib/foundations/rules/once.ts'
import { deadlineSignal } from './handlers/deadline-signal.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const clusters = composeClusters(hub.ports, hub.settings, hub.tokens)
const reconcile = stageHandler({
  wakeUps: wakeUpsOf(hub),
  reconcilers: [
    ...composeHelmReleases(hub.ports, hub.settings, hub, clusters),
    ...composeRollouts(hub.ports, hub.settings, hub),
  ],
})

/** Loaded with the first request for a plan: most instances of the function get none. */
const plans = once(async () => (await import('../lib/compose/aws/release-plans.ts')).awsReleasePlans(hub, clusters))
const plan = observedHandler(async (event: unknown, context) =>
  (await plans())(parsePlanReleaseRequest(event), deadlineSignal(context)),
)

/**
 * Installs, upgrades, tests, rolls back and uninstalls Helm releases, and drives Rollouts. Work that takes longer than a pass continues in a later one.
 * Plans the releases of pull requests, for `apply`.
 */
export const handler = (event: unknown, context: Context) =>
  isPlanReleaseRequest(event) ? plan(event, context) : reconcile(event as SQSEvent, context)
