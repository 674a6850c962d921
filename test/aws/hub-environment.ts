import { loopbackRanges } from '../../lib/foundations/rules/address-policy.ts'
import { type AwsClients, awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import type { AwsResources } from '../../lib/platform/adapters/aws/aws-platform.ts'
import type { AwsEmulator } from '../bed/aws/emulator.ts'
import { makeResources } from '../bed/aws/resources.ts'

export interface HubOnAws {
  readonly clients: AwsClients
  readonly resources: AwsResources
  /** What `cdk deploy` would give the hub's functions. */
  readonly environment: Readonly<Record<string, string>>
}

/** What a hub stands on, without a stack. */
export async function hubOnAws({ endpoint, region, credentials }: AwsEmulator): Promise<HubOnAws> {
  const clients = awsClients({ endpoint, region, credentials })
  const resources = await makeResources(clients)
  const { hubName, table, bucket, kmsKey, queues } = resources
  return {
    clients,
    resources,
    environment: {
      KEELSON_HUB_NAME: hubName,
      KEELSON_TABLE: table,
      KEELSON_BUCKET: bucket,
      KEELSON_KMS_KEY: kmsKey,
      // What the test bed serves is at loopback addresses.
      KEELSON_SETTINGS: JSON.stringify({ allowAddresses: loopbackRanges.join(',') }),
      ...Object.fromEntries(
        Object.entries(queues).map(([stage, url]) => [`KEELSON_QUEUE_${stage.toUpperCase()}`, url]),
      ),
    },
  }
}
