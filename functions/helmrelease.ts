import { wakeUpsOf } from '../lib/compose/aws/wake-ups.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { composeHelmReleases } from '../lib/compose/helm-releases.ts'
import { composeRollouts } from '../lib/compose/rollouts.ts'
import { hub } from './handlers/function-hub.ts'
import { stageHandler } from './handlers/stage-handler.ts'

/** Installs, upgrades, tests, rolls back and uninstalls Helm releases, and drives Rollouts. Work that takes longer than a pass continues in a later one. */
export const handler = stageHandler({
  wakeUps: wakeUpsOf(hub),
  reconcilers: [
    ...composeHelmReleases(hub.ports, hub.settings, hub, composeClusters(hub.ports, hub.settings, hub.tokens)),
    ...composeRollouts(hub.ports, hub.settings, hub),
  ],
})
