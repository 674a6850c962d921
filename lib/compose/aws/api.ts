import type { RequestHandler } from '../../hub/apiserver/api-server.ts'
import type { TrustedIssuers } from '../../hub/apiserver/authentication/token-verifier.ts'
import { runReader } from '../../hub/runs/run-reader.ts'
import { createMetrics } from '../../signals/metrics/metrics.ts'
import type { AwsHub } from './aws-hub.ts'
import { stsCallers } from './sts-callers.ts'

export interface AwsApi {
  /** The Kubernetes API, for callers that STS authenticates: those of the hub's account, and those in its mapping. */
  readonly serve: RequestHandler
  /** The issuers whose tokens the API proxy accepts. */
  readonly trustedIssuers: () => Promise<TrustedIssuers>
}

/** `account` is the hub's own. */
export const awsApi = (
  { api, hub, tokens, reconciledKinds, ports, cloud, environment }: AwsHub,
  account: string,
): AwsApi => {
  const { hubName, admins, region } = environment
  const { authenticate, accounts } = stsCallers({ ...ports, hub, cloud }, { hubName, admins, region, account })
  const metrics = createMetrics({ hub, kinds: reconciledKinds })
  return {
    serve: api(authenticate, { metrics, runs: runReader({ ...ports, hub }) }),
    trustedIssuers: async () => ({ accounts: await accounts(), keySet: await tokens.keySet() }),
  }
}
