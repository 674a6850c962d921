import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { test } from 'node:test'
import { generateKeyPair } from 'jose'
import { openIssuer } from './issuer.ts'
import { type Options, type Scene, signed, token, within } from './receiver-scene.ts'

type Request = Parameters<Scene['send']>[0]

/** Requests to a Receiver of one type, and what is answered: the status, and who was asked to reconcile. */
interface Case {
  readonly spec?: object
  readonly options?: Options
  readonly accepted: readonly Request[]
  readonly refused: readonly Request[]
}

const json = { 'content-type': 'application/json' }
const bare = (body: string, algorithm = 'sha256'): string => createHmac(algorithm, token).update(body).digest('hex')

const push = JSON.stringify({
  ref: 'refs/heads/main',
  before: '4b1f0c2ad5cc7e9b2dbd7ae6a1a1b9a0d4f3e2c1',
  after: 'a7e0c7f7d1c64c8f92d1b0f1d1e2a3b4c5d6e7f8',
  repository: { full_name: 'team/app', clone_url: 'https://git.example.com/elsewhere' },
  commits: [{ id: 'a7e0c7f7', added: [], modified: ['deploy/app.yaml'], removed: [] }],
})

const dockerHub =
  '{"push_data":{"tag":"1.2.3","pusher":"ci"},"repository":{"repo_name":"team/app","repo_url":"https://hub.docker.com/r/team/app"}}'
const quay = '{"name":"app","repository":"team/app","docker_url":"quay.io/team/app","updated_tags":["1.2.3"]}'
const acr =
  '{"id":"cb8c3971","action":"push","target":{"repository":"app","tag":"1.2.3"},"request":{"host":"team.azurecr.io"}}'
const nexus =
  '{"timestamp":"2026-11-01T00:00:00.000+0000","action":"CREATED","repositoryName":"docker","component":{"name":"app","version":"1.2.3"}}'
const cdEvent = JSON.stringify({
  context: {
    version: '0.4.1',
    id: '271069a8-fc18-44f1-b38f-9d70a1695819',
    source: '/ci/pipelines',
    type: 'dev.cdevents.artifact.published.0.2.0',
    timestamp: '2026-11-01T12:00:00Z',
  },
  subject: { id: 'pkg:oci/app@sha256%3Aabc', type: 'artifact', content: {} },
})

const now = Date.UTC(2026, 0, 1)
const standard = (body: string, { at = now, key = token } = {}) => {
  const timestamp = String(Math.floor(at / 1000))
  const signature = createHmac('sha256', key).update(`msg_1.${timestamp}.${body}`).digest('base64')
  return { 'webhook-id': 'msg_1', 'webhook-timestamp': timestamp, 'webhook-signature': `v1,AAAA v1,${signature}` }
}

const cases: Readonly<Record<string, Case>> = {
  generic: { accepted: [{}, { body: 'anything' }], refused: [] },
  'generic with basic auth in its Secret (Azure DevOps)': {
    spec: { type: 'generic' },
    options: { secretData: { username: 'azure', password: 'devops' } },
    accepted: [{ headers: { Authorization: `Basic ${btoa('azure:devops')}` } }],
    refused: [{}, { headers: { Authorization: `Basic ${btoa('azure:guess')}` } }],
  },
  'generic with a header in its Secret (CNCF distribution)': {
    spec: { type: 'generic' },
    options: { secretData: { authorization: 'Bearer of news' } },
    accepted: [{ headers: { Authorization: 'Bearer of news' } }],
    refused: [{ headers: { Authorization: 'Bearer of lies' } }, {}],
  },
  'generic-hmac': {
    accepted: [{ headers: { 'X-Signature': signed('{}', 'sha512') } }, { headers: standard('{}') }],
    refused: [
      {},
      { headers: { 'X-Signature': signed('{}', 'md5') } },
      { headers: { 'X-Signature': bare('{}') } },
      { headers: standard('{}', { at: now - 6 * 60_000 }) },
      { headers: standard('{}', { key: 'guess' }) },
      { headers: { ...standard('{}'), 'webhook-id': 'msg_2' } },
    ],
  },
  github: {
    spec: { type: 'github', events: ['push', 'package'] },
    accepted: [
      { headers: { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': signed(push) }, body: push },
      { headers: { 'X-GitHub-Event': 'package', 'X-Hub-Signature-256': signed('{"a":1}') }, body: '{"a":1}' },
      { headers: { 'X-Gitea-Event': 'push', 'X-Gitea-Signature': bare('{"b":1}') }, body: '{"b":1}' },
      { headers: { 'X-GitHub-Event': 'push', 'X-Forgejo-Signature': bare('{"c":1}') }, body: '{"c":1}' },
      { headers: { 'X-Gogs-Event': 'push', 'X-Gogs-Signature': bare('{"d":1}') }, body: '{"d":1}' },
    ],
    refused: [
      { headers: { 'X-GitHub-Event': 'push', 'X-Hub-Signature': signed(push, 'sha1') }, body: push },
      { headers: { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': signed('{}') }, body: push },
      { headers: { 'X-GitHub-Event': 'star', 'X-Hub-Signature-256': signed('{}') } },
      { headers: { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': 'sha256=zz' } },
    ],
  },
  gitlab: {
    spec: { type: 'gitlab', events: ['Push Hook', 'Tag Push Hook'] },
    accepted: [
      { headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': token }, body: push },
      { headers: { 'X-Gitlab-Event': 'Tag Push Hook', ...standard('{"signed":true}') }, body: '{"signed":true}' },
    ],
    refused: [
      { headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': 'guess' } },
      { headers: { 'X-Gitlab-Event': 'Issue Hook', 'X-Gitlab-Token': token } },
      { headers: { 'X-Gitlab-Event': 'Push Hook' } },
      { headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Token': token, ...standard('{}', { key: 'guess' }) } },
    ],
  },
  bitbucket: {
    spec: { type: 'bitbucket', events: ['repo:refs_changed'] },
    accepted: [{ headers: { 'X-Event-Key': 'repo:refs_changed', 'X-Hub-Signature': signed(push) }, body: push }],
    refused: [
      { headers: { 'X-Event-Key': 'repo:refs_changed', 'X-Hub-Signature': signed(push, 'sha1') }, body: push },
      { headers: { 'X-Event-Key': 'repo:forked', 'X-Hub-Signature': signed(push) }, body: push },
    ],
  },
  harbor: {
    accepted: [{ headers: { Authorization: token }, body: '{"type":"PUSH_ARTIFACT"}' }],
    refused: [{}, { headers: { Authorization: `Bearer ${token}` } }],
  },
  dockerhub: { accepted: [{ body: dockerHub }], refused: [{ body: 'no JSON' }, { body: '[]' }] },
  quay: { accepted: [{ body: quay }], refused: [{ body: '' }, { body: '"text"' }] },
  acr: { accepted: [{ body: acr }], refused: [{ body: '{' }] },
  nexus: {
    accepted: [{ headers: { 'X-Nexus-Webhook-Signature': bare(nexus, 'sha1') }, body: nexus }],
    refused: [
      { body: nexus },
      { headers: { 'X-Nexus-Webhook-Signature': bare('{}', 'sha1') }, body: nexus },
      { headers: { 'X-Nexus-Webhook-Signature': bare('no JSON', 'sha1') }, body: 'no JSON' },
    ],
  },
  cdevents: {
    spec: { type: 'cdevents', events: ['dev.cdevents.artifact.published.0.2.0'] },
    accepted: [{ headers: { 'Ce-Type': 'dev.cdevents.artifact.published.0.2.0' }, body: cdEvent }],
    refused: [
      { headers: { 'Ce-Type': 'dev.cdevents.change.merged.0.2.0' }, body: cdEvent },
      { headers: { 'Ce-Type': 'dev.cdevents.artifact.published.0.2.0' }, body: '{"context":{}}' },
      { headers: { 'Ce-Type': 'dev.cdevents.artifact.published.0.2.0' }, body: cdEvent.replace('12:00', 'noon') },
    ],
  },
}

for (const [name, { spec = { type: name }, options = {}, accepted, refused }] of Object.entries(cases)) {
  test(`a Receiver of type ${name} acts upon what its sender sends, and refuses the rest without a reconcile`, () =>
    within(
      spec,
      async ({ send }) => {
        const typed = (request: Request): Request => ({ ...request, headers: { ...json, ...request.headers } })
        for (const request of refused) assert.equal(await send(typed(request)), '400', JSON.stringify(request))
        for (const request of accepted) assert.equal(await send(typed(request)), '200 app', JSON.stringify(request))
      },
      options,
    ))
}

test('SHA-1 signatures of GitHub and Bitbucket count where the Receiver says so', async () => {
  const metadata = { name: 'hook', namespace: 'default', annotations: { 'webhook.keelson.dev/allow-sha1': 'true' } }
  const headers = { 'X-GitHub-Event': 'push', 'X-Event-Key': 'repo:push', 'X-Hub-Signature': signed('{}', 'sha1') }
  for (const type of ['github', 'bitbucket'])
    await within({ type }, async ({ send }) => assert.equal(await send({ headers }), '200 app'), { metadata })
})

test('a Receiver of type generic-oidc takes tokens of its issuers whose claims it accepts', async () => {
  const issuer = await openIssuer()
  try {
    const provider = {
      issuerURL: issuer.url,
      variables: [{ name: 'owner', expression: "claims.repository.split('/')[0]" }],
      validations: [{ expression: "vars.owner == 'team'", message: 'only the team may call' }],
    }
    const resources = [{ kind: 'GitRepository', name: 'app', filter: "claims.ref == 'refs/heads/main'" }]
    const spec = { type: 'generic-oidc', secretRef: undefined, oidcProviders: [provider], resources }
    const stranger = (await generateKeyPair('RS256')).privateKey
    await within(spec, async ({ send }) => {
      const call = async (claims: object, options?: Parameters<typeof issuer.issue>[1]) =>
        send({ headers: { Authorization: `Bearer ${await issuer.issue(claims, options)}` } })
      const main = { repository: 'team/app', ref: 'refs/heads/main' }
      assert.equal(await send({}), '400')
      assert.equal(await call(main, { key: stranger }), '400')
      assert.equal(await call(main, { audience: 'somebody else' }), '400')
      assert.equal(await call(main, { issuer: 'http://127.0.0.1:1' }), '400')
      assert.equal(await call(main, { lifetime: '-5m' }), '400')
      assert.equal(await call({ ...main, repository: 'other/app' }), '400')
      assert.equal(await call({ ...main, ref: 'refs/heads/next' }), '200')
      assert.equal(await call(main), '200 app')
    })
  } finally {
    issuer.close()
  }
})

test("a Receiver of type gcr takes Google's tokens for its service account, and reads the event in the message", async () => {
  const issuer = await openIssuer()
  const google = 'https://accounts.google.com'
  const fetchIssuer = issuer.fetchAs(google)
  try {
    const secretData = { email: 'push@project.iam.gserviceaccount.com', audience: 'https://hub.example.com' }
    const event = { action: 'INSERT', digest: 'gcr.io/p/app@sha256:abc', tag: 'gcr.io/p/app:1.2.3' }
    const data = Buffer.from(JSON.stringify(event)).toString('base64')
    const body = JSON.stringify({ message: { data, messageId: '1' }, subscription: 'projects/p/subscriptions/s' })
    const resourceFilter = "req.tag == 'gcr.io/p/app:1.2.3'"
    await within(
      { type: 'gcr', resourceFilter },
      async ({ send }) => {
        const call = async (claims: object, audience = secretData.audience, payload = body) => {
          const jwt = await issuer.issue(claims, { audience, issuer: google })
          return send({ headers: { ...json, Authorization: `Bearer ${jwt}` }, body: payload })
        }
        const claims = { email: secretData.email, email_verified: true }
        assert.equal(await call({ ...claims, email: 'somebody@else.example' }), '400')
        assert.equal(await call({ ...claims, email_verified: false }), '400')
        assert.equal(await call(claims, 'https://another.example.com'), '400')
        assert.equal(await call(claims, secretData.audience, '{"message":{"data":"!"}}'), '400')
        assert.equal(await call(claims), '200 app')
      },
      { secretData, fetchIssuer },
    )
  } finally {
    issuer.close()
  }
})
