import type { ObjectRef } from '../../foundations/kinds/object.ts'
import { awsClients } from '../../platform/adapters/aws/aws-clients.ts'
import { type AwsPlatform, awsPlatform } from '../../platform/adapters/aws/aws-platform.ts'
import { ambientIdentities } from '../../platform/cloud/ambient-identities.ts'
import type { AwsIdentity } from '../../platform/cloud/aws/credentials.ts'
import type { OpenPgp } from '../../platform/ports/open-pgp.ts'
import type { Addressed } from '../../reconcile/runtime/reconciler.ts'
import { addresses } from '../addresses.ts'
import { type Cloud, composeCloud } from '../cloud.ts'
import { type ComposedHub, composeHub } from '../hub.ts'
import type { CoreSettings, Ports } from '../platform.ts'
import type { AwsEnvironment } from './environment.ts'
import type { Observability } from './observability.ts'
import { openPgpByFunction } from './open-pgp-function.ts'

/** What every function of a hub on AWS uses: the hub on AWS' services, and its cloud identities. */
export interface AwsHub extends ComposedHub {
  readonly environment: AwsEnvironment
  readonly observability: Observability
  readonly platform: AwsPlatform
  readonly ports: Ports & { readonly openPgp: OpenPgp }
  readonly settings: CoreSettings
  /** All reconciled kinds, in whichever function. */
  readonly addressed: readonly Addressed[]
  readonly cloud: Cloud
  /** The AWS identity of this function. */
  readonly identity: AwsIdentity
}

/** Maximum delay until role bindings written by another function take effect. */
const rolesMaxAgeMs = 5000

/** S3 does not lose objects; this finds those that someone has deleted, if no reader finds them earlier. */
const artifactCheckMs = 24 * 60 * 60_000

/** Makes no request to AWS itself: created while a function starts, it connects on first use. */
export const openAwsHub = (environment: AwsEnvironment, observability: Observability): AwsHub => {
  const { region, bucket } = environment
  const { log, observe, observeVisit, observeWebhook } = observability
  const onDamaged = (ref: ObjectRef) =>
    log.error('omitted an object from a list: its body is missing from the bucket', { ...ref })
  const platform = awsPlatform(environment, { clients: awsClients({ region }), onDamaged })
  const cloud = composeCloud(platform.clock, { ...environment.settings, metadataService: false })
  const own = ambientIdentities(cloud)
  const identities = { ...own, environment: cloud.environment }
  const accounts = { cloud, ownAws: own.aws, region }
  const openPgp = openPgpByFunction(cloud, {
    ...{ functionName: `${environment.hubName}-openpgp`, region, identity: own.aws },
  })
  const { connections } = cloud
  const meter = { consumed: platform.consumed, memoryGb: environment.memoryGb }
  const observing = { log, observe, observeVisit, observeWebhook, meter }
  const ports = { ...platform, ...observing, identities, accounts, connections, openPgp }
  const artifactAddress = `s3://${bucket}/artifacts`
  const settings = { ...environment.settings, artifactAddress, artifactCheckMs, buildAhead: true, rolesMaxAgeMs }
  const addressed = addresses(settings)
  const composed = composeHub(ports, settings, () => addressed)
  return { ...composed, environment, observability, platform, ports, settings, addressed, cloud, identity: own.aws }
}
