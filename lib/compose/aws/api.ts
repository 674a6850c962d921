import { readFileSync } from 'node:fs'
import { trimmed, trimmedFormat } from '../../foundations/fleet/trimmed.ts'
import type { KubernetesObject } from '../../foundations/kinds/object.ts'
import { recordActions } from '../../hub/apiserver/action-events.ts'
import type { ApiHandler } from '../../hub/apiserver/api-server.ts'
import { auditing } from '../../hub/apiserver/audit/audit-trail.ts'
import { unionAuthenticator } from '../../hub/apiserver/authentication/authenticators.ts'
import type { TrustedIssuers } from '../../hub/apiserver/authentication/token-verifier.ts'
import { auditReport } from '../../hub/apiserver/fleet/audit-report.ts'
import { fleetIndex } from '../../hub/apiserver/fleet/fleet-index.ts'
import { fleetReports } from '../../hub/apiserver/fleet/fleet-reports.ts'
import { storedIndex } from '../../hub/apiserver/fleet/stored-index.ts'
import { fleetKinds, type Viewer } from '../../hub/apiserver/fleet/visible-fleet.ts'
import { installationReport } from '../../hub/apiserver/installation-report.ts'
import { comparisonReports } from '../../hub/live/comparison-reports.ts'
import { orderReports } from '../../hub/runners/order-reports.ts'
import { createOrders } from '../../hub/runners/orders.ts'
import { runReader } from '../../hub/runs/run-reader.ts'
import { createMetrics } from '../../signals/metrics/metrics.ts'
import { composeAlerting } from '../alerting.ts'
import { auditPolicyIn } from '../audit-policy.ts'
import { composeSessions } from '../console.ts'
import { composeDeliveries } from '../deliveries.ts'
import { ownDocs } from '../docs-pages.ts'
import { composeApi } from '../hub-api.ts'
import { authenticateWith, issuersOf, loginIssuersOf, openAuthenticators } from '../jwt-authentication.ts'
import { composeAudit } from '../kept-audit.ts'
import { lastChecks } from '../last-checks.ts'
import { composeMcp } from '../mcp.ts'
import { consoleLogins } from '../person-logins.ts'
import { composeRunners } from '../runners.ts'
import { version } from '../version.ts'
import { auditLogGroup } from './audit-log-group.ts'
import type { AwsHub } from './aws-hub.ts'
import { compareByFunction } from './comparison-function.ts'
import { copiedSourcesByFunction } from './copied-data-function.ts'
import { liveByFunction } from './live-function.ts'
import { stsCallers } from './sts-callers.ts'
import { wakeUpsOf } from './wake-ups.ts'

export interface AwsApi {
  /**
   * The Kubernetes API, for callers that STS authenticates: those of the hub's account, and those in its mapping; and for people with tokens
   * of the issuers that the hub trusts.
   */
  readonly serve: ApiHandler
  /** The issuers whose tokens the API proxy accepts. */
  readonly trustedIssuers: () => Promise<TrustedIssuers>
  /** Stores what reports on the fleet need, where it has changed much, so that a new process does not read all objects for its first one. */
  readonly storeFleet: () => Promise<{ readonly stored: readonly string[] }>
  /** Resolves once everything that is to be on record is: the function may then end. */
  readonly settled: () => Promise<void>
}

/**
 * `account` is the hub's own. Fails with a ConfigurationError if the deployment's authentication configuration or audit policy can't be used.
 */
export const awsApi = (base: AwsHub, account: string): AwsApi => {
  const { apiParts, hub, tokens, reconciledKinds, ports, cloud, environment } = base
  const { hubName, admins, region, authenticationFile } = environment
  const { authenticate, accounts } = stsCallers({ ...ports, hub, cloud }, { hubName, admins, region, account })
  const source = authenticationFile ? readFileSync(authenticationFile, 'utf8') : noIssuers
  const people = openAuthenticators(source, ports, [tokens.issuer])
  const callers = unionAuthenticator(
    authenticateWith(ports, async () => people),
    authenticate,
  )
  const metrics = createMetrics({ hub, kinds: reconciledKinds })
  const record = auditRecord(base)
  const stored = storedIndex<KubernetesObject>(ports, [version, trimmedFormat])
  const index = fleetIndex(hub, trimmed, { stored, clock: ports.clock })
  const onHub = fleetReports(index, ports.clock, ports.usage)
  const invoked = (name: string) => ({ functionName: `${hubName}-${name}`, region, identity: base.identity })
  const onClusters = liveByFunction(cloud, invoked('live'))
  const compare = compareByFunction(cloud, invoked('apply'))
  const compareSet = compareByFunction(cloud, invoked('resourceset'))
  const compared = comparisonReports({ hub, compare, compareSet })
  const audited = auditReport({ ...ports, hub }, base.settings.runsRetention)
  const wakeUps = wakeUpsOf(base)
  const ordered = orderReports({ hub, orders: createOrders(ports), waker: wakeUps })
  const extras = {
    metrics,
    runs: runReader({ ...ports, hub }),
    deliveries: composeDeliveries(ports, base.settings, base),
    fleet: async (url: URL, viewer: Viewer) =>
      (await onHub(url, viewer)) ??
      (await audited(url, viewer)) ??
      (await ordered(url, viewer)) ??
      (await compared(url, viewer)) ??
      onClusters(url, viewer),
    lastChecks: lastChecks(ports),
    actions: recordActions(composeAlerting(ports, base.settings, base).events.record),
    report: installationReport({ ...ports, ...base }),
    audit: composeAudit(ports, base.settings, record?.audit),
  }
  const withRunners = composeRunners(
    { ...ports, wakeUps },
    base.settings,
    base,
    base.addressed,
    composeApi(apiParts, callers, extras),
    { ...extras, copiedSources: copiedSourcesByFunction(cloud, invoked('resourceset')) },
  )
  const withTools = composeMcp(ports, withRunners, {
    allowsWrites: base.settings.mcpWrites,
    allowsDecisions: base.settings.mcpDecisions,
    docs: ownDocs(environment.docs),
  })
  return {
    serve: composeSessions({ ...ports, signingKey: base.signingKey }, withTools, {
      address: base.settings.consoleUrl,
      ...(authenticationFile && {
        logins: consoleLogins(() => loginIssuersOf(people), ports.connections, ports.log),
      }),
    }),
    storeFleet: async () => ({ stored: (await index.store(fleetKinds)).map(({ kind }) => kind) }),
    settled: async () => record?.settled(),
    trustedIssuers: async () => ({
      accounts: await accounts(),
      keySet: await tokens.keySet(),
      issuers: await issuersOf(people),
    }),
  }
}

const auditRecord = ({ environment, ports, cloud, identity }: AwsHub) => {
  const { audit: settings, region } = environment
  if (!settings) return undefined
  const { group, stream = ports.random.uuid(), policyFile } = settings
  const policy = auditPolicyIn(policyFile && readFileSync(policyFile, 'utf8'))
  const { write, settled } = auditLogGroup({ ...cloud, clock: ports.clock }, { group, stream, region, identity })
  return { audit: auditing({ ...ports, policy, write }), settled }
}

const noIssuers = '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"AuthenticationConfiguration"}'
