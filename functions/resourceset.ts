import type { Context, SQSEvent } from 'aws-lambda'
import { isCompareRequest, parseCompareRequest } from '../events/compare.ts'
import { isCopiedDataRequest, parseCopiedDataRequest } from '../events/copied-data.ts'
import { handleComparison } from '../lib/compose/aws/comparison-function.ts'
import { wakeUpsOf } from '../lib/compose/aws/wake-ups.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { composeImages } from '../lib/compose/images.ts'
import { composeInputProviders } from '../lib/compose/input-providers.ts'
import { registryLogin } from '../lib/compose/registry-login.ts'
import { composeResourceSets } from '../lib/compose/resource-sets.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const ports = { ...hub.ports, login: registryLogin(hub.cloud) }
const clusters = composeClusters(ports, hub.settings, hub.tokens)

const stage = stageHandler({
  wakeUps: wakeUpsOf(hub),
  reconcilers: [
    ...composeResourceSets(ports, hub.settings, hub, clusters),
    ...composeInputProviders(ports, hub.settings, hub, clusters),
    ...composeImages(ports, hub.settings, hub),
  ],
})

/** The code is loaded with the first comparison. */
const comparison = observedHandler(async (event: unknown) => {
  const { composeSetComparison } = await import('../lib/compose/set-comparison.ts')
  return handleComparison(composeSetComparison(ports, hub.settings, hub, clusters), parseCompareRequest(event))
})

/** The same, with the first ResourceSet of a runner that copies something. */
const copiedData = observedHandler(async (event: unknown) => {
  const { composeCopiedSources } = await import('../lib/compose/copied-sources.ts')
  const { handleCopiedData } = await import('../lib/compose/aws/copied-data-function.ts')
  return handleCopiedData(hub.hub, composeCopiedSources(ports, hub.settings, hub), parseCopiedDataRequest(event))
})

/** Expands ResourceSets, finds their inputs, and scans images. For `apiserver`, compares a set with its cluster, and finds what one of a runner copies. */
export const handler = (event: unknown, context: Context): Promise<object> => {
  if (isCompareRequest(event)) return comparison(event, context)
  return isCopiedDataRequest(event) ? copiedData(event, context) : stage(event as SQSEvent, context)
}
