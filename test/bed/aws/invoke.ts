/** `npm run invoke -- <function>`: runs a Lambda function once with its sample event, against an empty hub of its own. */
import { createRequire } from 'node:module'
import { sample as comparison } from '../../../events/compare.ts'
import { sample as copiedData } from '../../../events/copied-data.ts'
import { sample as push } from '../../../events/ecr-push.ts'
import { apiSample, webhookSample } from '../../../events/function-url.ts'
import { sample as chart } from '../../../events/helm-charts.ts'
import { sample as view } from '../../../events/live.ts'
import { sample as signature } from '../../../events/open-pgp.ts'
import { sample as release } from '../../../events/plan-release.ts'
import { sample as message } from '../../../events/queue-message.ts'
import { sample as minute } from '../../../events/tick.ts'
import { awsClients } from '../../../lib/platform/adapters/aws/aws-clients.ts'
import { stages } from '../../../lib/platform/ports/queue.ts'
import { startAwsEmulator } from './emulator.ts'
import { makeResources } from './resources.ts'

const samples: Readonly<Record<string, unknown>> = {
  tick: minute,
  webhook: webhookSample,
  apiserver: apiSample,
  live: view,
  'source-event': push,
  openpgp: signature,
  helmcharts: chart,
  ...Object.fromEntries(stages.map(stage => [stage, message])),
  // Their second events.
  'apply/compare': comparison,
  'helmrelease/plan': release,
  'resourceset/copiedData': copiedData,
}

const [name = ''] = process.argv.slice(2)
const event = Object.hasOwn(samples, name) ? samples[name] : undefined
const [functionName] = name.split('/')
if (!event) {
  console.error(`usage: npm run invoke -- ${Object.keys(samples).join('|')}`)
  process.exit(2)
}

await using emulator = await startAwsEmulator()
const { endpoint, region, credentials } = emulator
const clients = awsClients({ endpoint, region, credentials })
const { hubName, table, bucket, kmsKey, queues } = await makeResources(clients)
clients.close()
Object.assign(process.env, emulator.env, {
  KEELSON_HUB_NAME: hubName,
  KEELSON_TABLE: table,
  KEELSON_BUCKET: bucket,
  KEELSON_KMS_KEY: kmsKey,
  ...Object.fromEntries(Object.entries(queues).map(([stage, url]) => [`KEELSON_QUEUE_${stage.toUpperCase()}`, url])),
})
createRequire(import.meta.url)('./lambda-runtime.cjs')

const end = Date.now() + 60_000
const context = {
  functionName: `${hubName}-${functionName}`,
  awsRequestId: '00000000-0000-0000-0000-000000000000',
  invokedFunctionArn: `arn:aws:lambda:${region}:${emulator.account}:function:${hubName}-${functionName}`,
  getRemainingTimeInMillis: () => end - Date.now(),
}
const { handler } = await import(`../../../functions/${functionName}.ts`)
const startedAt = performance.now()
const answer = await handler(event, context)
console.error(`${name} answered after ${Math.round(performance.now() - startedAt)} ms:`)
console.log(typeof answer === 'string' ? answer.replaceAll('\0', ' ') : JSON.stringify(answer, undefined, 2))
