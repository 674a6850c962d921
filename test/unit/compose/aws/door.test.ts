import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiSample, bareRequestEvent, parseFunctionUrlRequest } from '../../../../events/function-url.ts'
import { isQuestion, parseTrustedIssuers, trustedIssuersQuestion } from '../../../../events/trusted-issuers.ts'
import { composeDoor } from '../../../../lib/compose/aws/door.ts'
import { eksToken } from '../../../../lib/platform/cloud/aws/eks-token.ts'
import { CloudError } from '../../../../lib/platform/cloud/cloud-error.ts'

const account = '111122223333'
const now = Date.parse('2026-11-27T06:00:00Z')

/** A door, an STS that confirms every token as one of an account, and all that came through. */
const doorWorld = (confirmed = account, failure?: Error) => {
  const passed: object[] = []
  const said: string[] = []
  const identity = `<Arn>arn:aws:iam::${confirmed}:user/jane</Arn><UserId>AIDA</UserId><Account>${confirmed}</Account>`
  const fetch = async () => ({
    status: 200,
    headers: new Headers(),
    body: (async function* () {
      yield Buffer.from(identity)
    })(),
  })
  const apiServer = async (event: object) => {
    const isAsked = isQuestion(event)
    if (!isAsked && failure) throw failure
    if (!isAsked) passed.push(event)
    const answer = isAsked ? { accounts: [account], keySet: { keys: [] } } : 'as it is written'
    return (async function* () {
      yield Buffer.from(JSON.stringify(answer))
    })()
  }
  const door = composeDoor(
    {
      cloud: { fetch, environment: {} },
      clock: { now: () => now, monotonic: () => now, sleep: async () => {} },
      log: { info: () => {}, error: message => void said.push(message) },
      apiServer,
    },
    { question: trustedIssuersQuestion, answer: parseTrustedIssuers, bare: bareRequestEvent },
    { hubName: 'keelson', region: 'eu-west-1' },
  )
  const ask = async (event: object) => {
    const answer = await door(event, parseFunctionUrlRequest(event), AbortSignal.timeout(10_000))
    if ('refusal' in answer) {
      const { status, headers } = answer.refusal
      const { message } = (await answer.refusal.json()) as Answer
      return [status, message, headers.get('retry-after')].filter(Boolean).join(' ')
    }
    return Buffer.concat(await Array.fromAsync(answer.stream)).toString()
  }
  return { ask, passed, said }
}

interface Answer {
  readonly message: string
}

const endpoint = 'https://sts.eu-west-1.amazonaws.com'
const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
const secrets = { ...apiSample, rawPath: '/api/v1/secrets', rawQueryString: 'limit=500' }
const withToken = async (event: typeof secrets) => {
  const { token } = await eksToken(credentials, { clusterName: 'keelson', region: 'eu-west-1', endpoint, now })
  return { ...event, headers: { ...event.headers, authorization: `Bearer ${token}` } }
}

test('passes the event of a caller on as it came, and its answer back as it is written', async () => {
  const { ask, passed } = doorWorld()
  const event = await withToken(secrets)
  assert.equal(await ask(event), '"as it is written"')
  assert.deepEqual(passed, [event])
})

test('answers a stranger by itself: without a token, and with one of an account that the hub does not know', async () => {
  const { ask, passed } = doorWorld()
  assert.equal(await ask(secrets), '401 Unauthorized')
  const other = doorWorld('444455556666')
  assert.equal(await other.ask(await withToken(secrets)), '401 Unauthorized')
  assert.deepEqual([...passed, ...other.passed], [])
})

test('shows strangers version and health, and passes nothing on of what they sent along', async () => {
  const { ask, passed } = doorWorld()
  const event = { ...apiSample, rawPath: '/livez', rawQueryString: 'a=b', body: 'x' }
  assert.equal(await ask(event), '"as it is written"')
  const { domainName } = apiSample.requestContext
  assert.deepEqual(passed, [
    { rawPath: '/livez', headers: {}, requestContext: { domainName, http: { method: 'GET' } }, isBase64Encoded: false },
  ])
  for (const rawPath of ['/livez/../api', '/livez/etcd', '/metrics', '//version'])
    assert.equal(await ask({ ...apiSample, rawPath }), '401 Unauthorized', rawPath)
  const posted = { ...apiSample.requestContext, http: { ...apiSample.requestContext.http, method: 'POST' } }
  assert.equal(await ask({ ...apiSample, rawPath: '/livez', requestContext: posted }), '401 Unauthorized')
})

test('a stranger can not ask what the door asks', async () => {
  const { ask, passed } = doorWorld()
  const event = await withToken({ ...secrets, rawQueryString: 'question=trustedIssuers' })
  await ask({ ...event, body: JSON.stringify(trustedIssuersQuestion) })
  assert.equal(isQuestion(passed[0]), false)
})

test('has a client try again when Lambda has no room, and tells of other failures nothing but that', async () => {
  const event = await withToken(secrets)
  const busy = doorWorld(account, new CloudError('AWS', 'Lambda answered 429', { status: 429 }))
  const said = 'Too many requests: Lambda starts no more functions at the moment, please try again later'
  assert.equal(await busy.ask(event), `429 ${said} 1`)
  const broken = doorWorld(account, new CloudError('AWS', 'the function keelson-apiserver failed'))
  assert.equal(await broken.ask(event), '500 Internal error occurred: the hub failed to handle the request')
  assert.deepEqual(broken.said, ['request failed'])
})
