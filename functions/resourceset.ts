import type { Context, SQSEvent } from 'aws-lambda'
import { isCompareRequest, parseCompareRequest } from '../events/compare.ts'
import { handleComparison } from '../lib/compose/aws/comparison-function.ts'
import { composeClusters } from '../lib/compose/clusters.ts'
import { composeImages } from '../lib/compose/images.ts'
import { registryLogin } from '../lib/compose/registry-login.ts'
import { composeResourceSets } from '../lib/compose/resource-sets.ts'
import { hub } from './handlers/function-hub.ts'
import { observedHandler } from './handlers/observed-handler.ts'
import { stageHandler } from './handlers/stage-handler.ts'

const ports = { ...hub.ports, login: registryLogin(hub.cloud) }
const clusters = composeClusters(ports, hub.settings, hub.tokens)

const stage = stageHandler({
  reconcilers: [...composeResourceSets(ports, hub.settings, hub, clusters), ...composeImages(ports, hub.settings, hub)],
})

/** The code is loaded with the first comparison. */
const comparison = observedHandler(async (event: unknown) => {
  const { composeSetComparison } = await import('../lib/compose/set-comparison.ts')
  return handleComparison(composeSetComparison(ports, hub.settings, hub, clusters), parseCompareRequest(event))
})

/** Expands ResourceSets, finds their inputs, and scans images. For `apiserver`, compares a set with its cluster. */
export const handler = (event: unknown, context: Context): Promise<object> =>
  isCompareRequest(event) ? comparison(event, context) : stage(event as SQSEvent, context)
