import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sample as comparison } from '../../events/compare.ts'
import { sample as copiedData } from '../../events/copied-data.ts'
import { sample as push } from '../../events/ecr-push.ts'
import { apiSample, webhookSample } from '../../events/function-url.ts'
import { sample as chart } from '../../events/helm-charts.ts'
import { sample as view } from '../../events/live.ts'
import { sample as release } from '../../events/plan-release.ts'
import { sample as message } from '../../events/queue-message.ts'
import { sample as minute } from '../../events/tick.ts'
import { bundleFunctions } from '../../infra/bundle.ts'
import { unpackText } from '../../lib/compose/aws/packed-text.ts'
import { stages } from '../../lib/platform/ports/queue.ts'
import { awsRequests } from '../bed/aws/aws-request.ts'
import { deployFunction } from '../bed/aws/deploy-function.ts'
import { awsEmulator } from '../bed/aws/emulator.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { hubOnAws } from './hub-environment.ts'

const names = ['tick', 'webhook', 'source-event', 'api', 'apiserver', 'live', 'helmcharts', ...stages]

test('every bundle starts by itself, and handles its sample event', async t => {
  const emulator = await awsEmulator()
  const { clients, environment } = await hubOnAws(emulator)
  after(() => clients.close())
  const bundles = tempDir()
  await bundleFunctions(names, bundles)
  // The API proxy invokes apiserver by the hub's name.
  const nameOf = (bundle: string) => (bundle === 'apiserver' ? `${environment.KEELSON_HUB_NAME}-apiserver` : bundle)
  for (const name of names)
    await deployFunction(emulator, { name: nameOf(name), environment, folder: join(bundles, name) })
  const aws = awsRequests(emulator)
  const invoke = async (name: string, event: unknown): Promise<unknown> => {
    const path = `/2015-03-31/functions/${name}/invocations`
    const { headers, text } = await aws({ service: 'lambda', method: 'POST', path, body: JSON.stringify(event) })
    assert.equal(headers['x-amz-function-error'], undefined, `${name}: ${text}`)
    return JSON.parse(text || 'null')
  }
  const body = (answer: unknown) => Buffer.from((answer as { body: string }).body, 'base64').toString()
  /** What a streaming function sends: the head, eight zeros, the body. */
  const streamed = (answer: unknown) => {
    const [head = '', ...rest] = (answer as string).split('\0\0\0\0\0\0\0\0')
    return { status: (JSON.parse(head) as { statusCode: number }).statusCode, body: rest.join('') }
  }

  await t.test('tick', async () => assert.equal(await invoke('tick', minute), null))
  await t.test('webhook', async () =>
    assert.equal(body(await invoke('webhook', webhookSample)), 'no receiver found for this path\n'),
  )
  await t.test('source-event', async () => assert.deepEqual(await invoke('source-event', push), { requested: 0 }))
  for (const name of ['apiserver', 'api'])
    await t.test(name, async () => {
      assert.deepEqual(streamed(await invoke(nameOf(name), apiSample)), { status: 200, body: 'ok' })
      const list = { ...apiSample, rawPath: '/api/v1/namespaces' }
      assert.equal(streamed(await invoke(nameOf(name), list)).status, 401)
    })
  await t.test('live', async () => {
    const { value } = (await invoke('live', view)) as { value: string }
    assert.match(unpackText(value), /"code":403.*User \\"jane\\" cannot get resource/)
  })
  await t.test('apply, for a comparison', async () => {
    const { value } = (await invoke('apply', comparison)) as { value: string }
    assert.deepEqual(JSON.parse(unpackText(value)), { notCompared: 'it does not exist any more' })
  })
  await t.test('helmcharts', async () => {
    const { value } = (await invoke('helmcharts', chart)) as { value: string }
    assert.match(unpackText(value), /kind: ConfigMap\nmetadata: \{name: near\}\ndata: \{size: large\}/)
  })
  await t.test('helmrelease, of a pull request', async () => {
    const { value } = (await invoke('helmrelease', release)) as { value: string }
    assert.match(unpackText(value), /"type":"failed","message":".*HelmChart/)
  })
  await t.test('resourceset, for what a set copies', async () => {
    const { value } = (await invoke('resourceset', copiedData)) as { value: string }
    assert.deepEqual(JSON.parse(unpackText(value)), [])
  })
  for (const stage of stages)
    await t.test(stage, async () => assert.deepEqual(await invoke(stage, message), { batchItemFailures: [] }))
})
