import { after } from 'node:test'
import type { ObjectRef } from '../../lib/foundations/kinds/object.ts'
import { type AwsClients, awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import { s3ArtifactStore } from '../../lib/platform/adapters/aws/s3-artifact-store.ts'
import { dynamoTable } from '../../lib/platform/adapters/aws/table.ts'
import { versionsOf } from '../../lib/platform/adapters/aws/versions.ts'
import type { ObjectChange, StoredObject } from '../../lib/platform/ports/objects.ts'
import { startAwsEmulator } from '../bed/aws/emulator.ts'
import { makeResources } from '../bed/aws/resources.ts'
import { manualClock } from '../contracts/manual-clock.ts'
import { widget } from '../contracts/store-world.ts'

/** The adapters over an emulator of AWS' services, for what the contracts can't ask for. */

const emulator = await startAwsEmulator()
const { endpoint, region, credentials } = emulator
export const access = { endpoint, region, credentials }
export const shared = awsClients(access)
after(async () => {
  shared.close()
  await emulator[Symbol.asyncDispose]()
})

export async function world() {
  const resources = await makeResources(shared)
  const clock = manualClock()
  /** A process of its own, as it were. */
  const open = (clients: AwsClients = shared, onDamaged?: (ref: ObjectRef) => void) =>
    awsPlatform(resources, { clients, clock, onDamaged })
  const table = dynamoTable(shared.dynamo, resources.table)
  const blobs = s3ArtifactStore(await shared.s3(), { bucket: resources.bucket, prefix: 'objects/' })
  return { resources, clock, open, blobs, versions: versionsOf(table, clock, 900_000) }
}

export const create = (name: string, body = '{}', refersTo: string[] = []): ObjectChange => ({
  ...{ op: 'create', ref: widget(name), body, refersTo },
})
export const update = ({ ref, version, refersTo }: StoredObject, body: string): ObjectChange => ({
  ...{ op: 'update', ref, expect: version, body, refersTo },
})

export const namesIn = ({ items }: { readonly items: readonly StoredObject[] }) => items.map(({ ref }) => ref.name)
