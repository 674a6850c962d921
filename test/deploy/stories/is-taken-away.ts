import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { ListObjectsV2Command } from '@aws-sdk/client-s3'
import { type FunctionName, functionNames } from '../../../infra/functions.ts'
import { stages } from '../../../lib/platform/ports/queue.ts'
import { eventually } from '../../bed/eventually.ts'
import { attemptsOf, isOfBuild } from '../attempts.ts'
import type { DeployedHub } from '../deployed-hub.ts'

const sending = stages.map(stage => `send ${stage}`)
const all = ['read any item', 'read a Secret', 'read a Receiver']
const write = ['write a Receiver', 'write a source', 'write a role', 'open bodies', 'open Secrets']
const accounts = [...all, ...write, 'open the signing key']
/** Those that record Runs sign them. */
const recording = [...accounts, 'open the keys of receipts']
const allowed: Readonly<Record<FunctionName, readonly string[]>> = {
  tick: [...all, ...write, 'due', 'get artifact', 'delete artifact', 'delete the queue of a runner', ...sending],
  webhook: ['read a Receiver', 'write a source', 'open bodies', 'open what proves webhooks', ...sending],
  'source-event': ['write a source', 'open bodies', ...sending],
  // What strangers reach of the API: it reads, opens and sends nothing.
  api: ['invoke apiserver'],
  // Runners get artifacts from it, a URL that waits at their queue, and requests for plans.
  apiserver: [
    ...recording,
    'get artifact',
    'delete artifact',
    'make the queue of a runner',
    'wait for a runner',
    'wake a runner',
    'invoke live',
    'invoke apply',
    'invoke resourceset',
    ...sending,
  ],
  // Reads the access to clusters, and writes no object.
  live: ['read a Secret', 'read a Receiver', 'open bodies', 'open Secrets', 'open the signing key', 'own secret'],
  source: [
    ...accounts,
    'get artifact',
    'put artifact',
    'delete artifact',
    'own secret',
    'invoke openpgp',
    'take source',
    ...sending,
  ],
  // Who finds an artifact damaged deletes it, and has its source store it again.
  build: [
    ...accounts,
    'open builds',
    'get artifact',
    'put artifact',
    'delete artifact',
    'own secret',
    'invoke openpgp',
    'invoke helmcharts',
    'take build',
    ...sending.filter(isOfBuild),
  ],
  apply: [
    ...recording,
    'open builds',
    'get artifact',
    'put artifact',
    'delete artifact',
    'own secret',
    'invoke openpgp',
    'invoke helmcharts',
    'invoke helmrelease',
    'wake a runner',
    'take apply',
    ...sending,
  ],
  // RolloutRuns keep artifacts under names of their own.
  helmrelease: [
    ...recording,
    'get artifact',
    'put artifact',
    'delete artifact',
    'own secret',
    'wake a runner',
    'take helmrelease',
    ...sending,
  ],
  // Lists of images' tags are artifacts, as is what ResourceSets have applied; its commits are signed, and new inputs wake the runner of a set.
  resourceset: [
    ...recording,
    'open builds',
    'get artifact',
    'put artifact',
    'delete artifact',
    'own secret',
    'invoke openpgp',
    'wake a runner',
    'take resourceset',
    ...sending,
  ],
  notify: [...accounts, 'open what proves webhooks', 'own secret', 'take notify', 'send notify'],
  openpgp: [],
  helmcharts: [],
}

/** What only a hub that nobody needs any more is asked: it takes messages and changes who may take a role. */
export function isTakenAway(hub: DeployedHub): void {
  const { hubName, emulator, account, clients, queues, stack, table, bucket, kmsKey } = hub

  describe('is taken away', () => {
    test('every function may do its own work, and nothing else', async () => {
      const arnOf = (secretName: string) =>
        `arn:aws:secretsmanager:${emulator.region}:${emulator.account}:secret:${secretName}-AAAAAA`
      const judge = async (name: FunctionName) => {
        const role = await account.roleOf(`${hubName}-${name}`)
        const functionOf = (name: string) => `${hubName}-${name}`
        const others = { invoked: functionNames, functionOf }
        const targets = { table, bucket, kmsKey, urlOf: queues.urlOf, arnOf, stages, ...others }
        const attempts = Object.entries(attemptsOf(account, role, targets))
        const ended = await Promise.all(attempts.map(async ([what, attempt]) => [what, await attempt()]))
        const may = ended.filter(([, end]) => end !== 'denied').map(([what]) => what)
        assert.deepEqual(may.sort(), allowed[name].toSorted(), name)
      }
      await Promise.all(functionNames.map(judge))
    })

    test('the schedule calls the tick by itself', async () => {
      await eventually(() => assert.match(emulator.log(), /EventBridge . Lambda keelson-tick: dispatched/), {
        within: 75_000,
      })
    })

    test('cdk destroy leaves the data', async () => {
      await stack.destroy()
      const scan = { TableName: table, Select: 'COUNT' }
      const { Count } = await account.json<{ Count: number }>('dynamodb', 'DynamoDB_20120810.Scan', scan)
      assert.ok(Count > 10, `${Count} items are left`)
      const listing = new ListObjectsV2Command({ Bucket: bucket, Prefix: 'artifacts/' })
      const { Contents = [] } = await (await clients.s3()).send(listing)
      assert.ok(Contents.length > 0, 'no artifacts are left')
      const described = await account.json<{ KeyMetadata: { KeyState: string } }>('kms', 'TrentService.DescribeKey', {
        KeyId: kmsKey,
      })
      assert.equal(described.KeyMetadata.KeyState, 'Enabled')
      await assert.rejects(hub.invoke('tick', {}), /404/)
    })
  })
}
