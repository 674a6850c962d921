import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CreateSecretCommand } from '@aws-sdk/client-secrets-manager'
import { ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { refKey } from '../../lib/foundations/kinds/object.ts'
import { awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { awsPlatform } from '../../lib/platform/adapters/aws/aws-platform.ts'
import type { KeyScope } from '../../lib/platform/ports/keys.ts'
import type { ObjectChange } from '../../lib/platform/ports/objects.ts'
import { widget } from '../contracts/store-world.ts'
import { access, create, shared, update, world } from './adapter-world.ts'

/** The due index, queues, keys and secrets: how the adapters get along with the limits of AWS' services. */

describe('the due index', () => {
  test('reports the fairness group that was committed with an object', async () => {
    const { open } = await world()
    const { objects, schedule } = open()
    await objects.commit({ ...create('a'), due: 100, group: 'apps/prod' } as ObjectChange)
    assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 100, group: 'apps/prod' }])
    const stored = (await objects.get(widget('a')))!
    await objects.commit(update(stored, '2'))
    await schedule.setDue(widget('a'), 200)
    assert.deepEqual(await schedule.dueBy(1000, 10), [{ ref: widget('a'), due: 200, group: 'apps/prod' }])
  })

  test('spreads 100 objects over all of its shards', async () => {
    const { open } = await world()
    const { objects, schedule } = open()
    await Promise.all(
      Array.from({ length: 100 }, (_, i) => objects.commit({ ...create(`w${i}`), due: i + 1 } as ObjectChange)),
    )
    const due = await schedule.dueBy(100, 1000)
    assert.deepEqual(
      due.map(({ due }) => due),
      Array.from({ length: 100 }, (_, i) => i + 1),
    )
    assert.equal((await schedule.dueBy(100, 25)).length, 25)
  })
})

describe('queues in SQS', () => {
  test('takes out what has been handled, before the function that got it ends; what runs alone has a group of its own', async () => {
    const { resources, open } = await world()
    const { queue, acknowledge } = open()
    const sqs = await shared.sqs()
    const QueueUrl = resources.queues.apply
    const receive = async () => {
      const asked = { QueueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 0, WaitTimeSeconds: 1 }
      const names = { MessageSystemAttributeNames: ['MessageGroupId' as const] }
      return (await sqs.send(new ReceiveMessageCommand({ ...asked, ...names }))).Messages ?? []
    }
    await queue.send([
      { stage: 'apply', ref: widget('a'), group: 'cluster' },
      { stage: 'apply', ref: widget('b'), group: 'cluster', alone: true },
    ])
    const [first, second] = (await receive()).toSorted((a, b) => a.Body!.localeCompare(b.Body!))
    const groups = [first, second].map(message => message?.Attributes?.MessageGroupId)
    assert.deepEqual(groups, ['cluster', `alone/${refKey(widget('b'))}`])
    await acknowledge('apply', [first!.ReceiptHandle!])
    assert.deepEqual(
      (await receive()).map(({ Body }) => Body),
      [second!.Body],
    )
    await acknowledge('apply', [])
  })

  test('sends again what SQS did not take of a batch, and fails when it never does', async () => {
    const { open, resources } = await world()
    let refusals = 1
    let taken = 3
    const clients = awsClients(access)
    const sent: string[] = []
    ;(await clients.sqs()).middlewareStack.add(
      next => async args => {
        const { Entries } = args.input as { Entries: { Id: string; MessageBody: string }[] }
        const refused = refusals-- > 0 ? Entries.slice(taken) : []
        sent.push(...Entries.filter(entry => !refused.includes(entry)).map(({ MessageBody }) => MessageBody))
        const result = await next(args)
        const Failed = refused.map(({ Id }) => ({ Id, Code: 'InternalError', SenderFault: false }))
        return { ...result, output: { ...(result.output as object), Failed } } as typeof result
      },
      { step: 'initialize' },
    )
    const { queue } = open(clients)
    const messages = Array.from({ length: 8 }, (_, i) => ({ stage: 'apply' as const, ref: widget(`w${i}`) }))
    await queue.send(messages)
    assert.deepEqual(
      sent.map(body => JSON.parse(body)),
      messages,
    )
    refusals = Number.POSITIVE_INFINITY
    taken = 0
    await assert.rejects(queue.send(messages), new RegExp(`8 messages were rejected by ${resources.queues.apply}`))
    clients.close()
  })

  test('takes groups of any name, as SQS does not', async () => {
    const { open } = await world()
    const groups = ['apps/prod', 'a'.repeat(300), 'mit Leerzeichen', 'ünïcode']
    await open().queue.send(groups.map(group => ({ stage: 'apply', ref: widget('a'), group })))
  })
})

describe('keys of KMS', () => {
  const scope: KeyScope = { purpose: 'secrets', namespace: 'apps' }

  test('opens under the scope that it was sealed for only: it is in the encryption context of the data key', async () => {
    const { open } = await world()
    const sealed = await open().keys.seal(Buffer.from('secret'), 'c', scope)
    for (const other of [{ ...scope, namespace: 'others' }, { purpose: 'secrets' }, { ...scope, purpose: 'builds' }])
      await assert.rejects(open().keys.open(sealed, 'c', other as KeyScope), { name: 'UnsealFailed' })
    assert.equal(Buffer.from(await open().keys.open(sealed, 'c', scope)).toString(), 'secret')
  })

  test('distinguishes a service that does not respond from a broken seal', async () => {
    const { open } = await world()
    const sealed = await open().keys.seal(Buffer.from('secret'), 'c', scope)
    const clients = awsClients(access)
    ;(await clients.kms()).middlewareStack.add(
      () => async () => {
        throw new Error('the connection is gone')
      },
      { step: 'initialize' },
    )
    await assert.rejects(open(clients).keys.open(sealed, 'c', scope), { name: 'KeysUnavailable' })
    await assert.rejects(open().keys.open(sealed, 'other', scope), { name: 'UnsealFailed' })
    clients.close()
  })

  test('opens with the name of its hub only, though the master key be shared', async () => {
    const { resources, open, clock } = await world()
    const sealed = await open().keys.seal(Buffer.from('secret'), 'c', scope)
    const neighbour = awsPlatform({ ...resources, hubName: 'neighbour' }, { clients: shared, clock })
    await assert.rejects(neighbour.keys.open(sealed, 'c', scope))
  })
})

describe('AWS Secrets Manager', () => {
  test('gives a namespace the values of its own secrets, and reports what is wrong with others', async () => {
    const { open, resources, clock } = await world()
    const { secretSource } = open()
    const client = await shared.secretsManager()
    const make = (name: string, value: string) =>
      client.send(new CreateSecretCommand({ Name: `keelson/${resources.hubName}/${name}`, SecretString: value }))
    await make('apps/prod', JSON.stringify({ username: 'me', password: 'p' }))
    await make('apps/kubeconfig', 'apiVersion: v1')
    const read = async (namespace: string, name: string) =>
      [...(await secretSource.read(namespace, name))].map(([key, value]) => [key, Buffer.from(value).toString()])
    assert.deepEqual(await read('apps', 'prod'), [
      ['username', 'me'],
      ['password', 'p'],
    ])
    assert.deepEqual(await read('apps', 'kubeconfig'), [['value', 'apiVersion: v1']])
    const missing = `the secret keelson/${resources.hubName}/other/prod of AWS Secrets Manager can't be read: not found`
    await assert.rejects(read('other', 'prod'), error => (error as Error).message.startsWith(missing))
    for (const name of ['../apps/prod', 'a//b', '', '*', '/x'])
      await assert.rejects(read('other', name), /is not a valid name/)
    await make('other/prod', 'now it does')
    await clock.advance(5 * 60_000)
    assert.deepEqual(await read('other', 'prod'), [['value', 'now it does']])
  })
})
