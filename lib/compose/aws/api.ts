import { readFileSync } from 'node:fs'
import type { RequestHandler } from '../../hub/apiserver/api-server.ts'
import { unionAuthenticator } from '../../hub/apiserver/authentication/authenticators.ts'
import type { TrustedIssuers } from '../../hub/apiserver/authentication/token-verifier.ts'
import { runReader } from '../../hub/runs/run-reader.ts'
import { createMetrics } from '../../signals/metrics/metrics.ts'
import { authenticateWith, issuersOf, openAuthenticators } from '../jwt-authentication.ts'
import type { AwsHub } from './aws-hub.ts'
import { stsCallers } from './sts-callers.ts'

export interface AwsApi {
  /**
   * The Kubernetes API, for callers that STS authenticates: those of the hub's account, and those in its mapping; and for people with tokens
   * of the issuers that the hub trusts.
   */
  readonly serve: RequestHandler
  /** The issuers whose tokens the API proxy accepts. */
  readonly trustedIssuers: () => Promise<TrustedIssuers>
}

/** `account` is the hub's own. Fails with a ConfigurationError if the deployment's authentication configuration can't be used. */
export const awsApi = (
  { api, hub, tokens, reconciledKinds, ports, cloud, environment }: AwsHub,
  account: string,
): AwsApi => {
  const { hubName, admins, region, authenticationFile } = environment
  const { authenticate, accounts } = stsCallers({ ...ports, hub, cloud }, { hubName, admins, region, account })
  const source = authenticationFile ? readFileSync(authenticationFile, 'utf8') : noIssuers
  const people = openAuthenticators(source, ports, [tokens.issuer])
  const callers = unionAuthenticator(
    authenticateWith(ports, async () => people),
    authenticate,
  )
  const metrics = createMetrics({ hub, kinds: reconciledKinds })
  return {
    serve: api(callers, { metrics, runs: runReader({ ...ports, hub }) }),
    trustedIssuers: async () => ({
      accounts: await accounts(),
      keySet: await tokens.keySet(),
      issuers: await issuersOf(people),
    }),
  }
}

const noIssuers = '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AuthenticationConfiguration"}'
