import type { RequestHandler } from '../../hub/apiserver/api-server.ts'
import { createMetrics } from '../../signals/metrics/metrics.ts'
import type { AwsHub } from './aws-hub.ts'
import { stsCallers } from './sts-callers.ts'

/** The Kubernetes API, for callers that STS authenticates: those of the hub's account, and those in its mapping. */
export const awsApi = (
  { api, hub, reconciledKinds, ports, cloud, environment }: AwsHub,
  account: string,
): RequestHandler => {
  const { hubName, admins, region } = environment
  const callers = stsCallers({ ...ports, hub, cloud }, { hubName, admins, region, account })
  return api(callers, createMetrics({ hub, kinds: reconciledKinds }))
}
