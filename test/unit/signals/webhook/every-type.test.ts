import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, test } from 'node:test'
import { generateKeyPair } from 'jose'
import type { ReceiverType } from '../../../../lib/foundations/kinds/receiver.ts'
import { openIssuer } from './issuer.ts'
import { type Options, type Scene, signed, token, within } from './receiver-scene.ts'
import * as sent from './sent-by-forges.ts'

type Headers = Readonly<Record<string, string>>

/** How a type's sender proves itself, over a body. */
type Prove = (body: string) => Headers | Promise<Headers>

interface Sender {
  readonly payload: object
  readonly headers?: Headers
  readonly proves?: Prove
  /** The same by somebody who has not got the secret. */
  readonly forges: Prove
  /** What its sender never sends, though it can prove itself; absent where a body may be anything. */
  readonly malformed?: readonly string[]
  /** What becomes of the same request once more: by default nothing. */
  readonly again?: 'acts again, as a sender may say the same of two pushes'
  readonly spec?: object
  readonly options?: Options
}

const nothing = (): Headers => ({})
const header =
  (name: string, form: (body: string, secret: string) => string) =>
  (secret: string): Prove =>
  body => ({ [name]: form(body, secret) })
const hub = header('X-Hub-Signature-256', (body, secret) => signed(body, 'sha256', secret))
const bitbucket = header('X-Hub-Signature', (body, secret) => signed(body, 'sha256', secret))
const generic = header('X-Signature', (body, secret) => signed(body, 'sha512', secret))
const nexus = header('X-Nexus-Webhook-Signature', (body, secret) =>
  createHmac('sha1', secret).update(body).digest('hex'),
)

/** Senders that sign nothing are given a secret path; a Secret with `authorization` wants that header as well. */
const byPath = {
  options: { secretData: { authorization: 'Bearer of news' } },
  proves: () => ({ Authorization: 'Bearer of news' }),
  forges: () => ({ Authorization: 'Bearer of lies' }),
}
const noJson = ['', 'no JSON', '[]', '"text"', '{"ref":', '\u0000']
const namesItself = 'acts again, as a sender may say the same of two pushes' as const

const issuer = await openIssuer()
after(() => issuer.close())
const google = 'https://accounts.google.com'
const account = { email: 'push@project.iam.gserviceaccount.com', email_verified: true }
const audience = 'https://hub.example.com'
const stranger = (await generateKeyPair('RS256')).privateKey
const bearer = (jwt: Promise<string>): Promise<Headers> => jwt.then(text => ({ Authorization: `Bearer ${text}` }))
const workflow = { repository: 'team/app', jti: 'one token' }
const workflowToken = issuer.issue(workflow)

/** A row for each type there is: TypeScript wants all of them. */
const senders: Readonly<Record<ReceiverType, Sender>> = {
  generic: { payload: sent.pipelineCall, again: namesItself, ...byPath },
  'generic-hmac': {
    payload: sent.pipelineCall,
    proves: generic(token),
    forges: generic('guess'),
    again: namesItself,
  },
  'generic-oidc': {
    payload: sent.pipelineCall,
    proves: () => bearer(workflowToken),
    forges: () => bearer(issuer.issue(workflow, { key: stranger })),
    spec: {
      secretRef: undefined,
      oidcProviders: [{ issuerURL: issuer.url, validations: [{ expression: 'true', message: 'never' }] }],
    },
  },
  github: {
    payload: sent.githubPush,
    headers: { 'X-GitHub-Event': 'push', 'X-GitHub-Delivery': '72d3162e-cc78-11e3-81ab-4c9367dc0958' },
    proves: hub(token),
    forges: hub('guess'),
    malformed: noJson,
  },
  gitlab: {
    payload: sent.gitlabPush,
    headers: { 'X-Gitlab-Event': 'Push Hook', 'X-Gitlab-Event-UUID': '13792a34-cac6-4fda-95a8-c58e00a3954e' },
    proves: () => ({ 'X-Gitlab-Token': token }),
    forges: () => ({ 'X-Gitlab-Token': 'guess' }),
    malformed: noJson,
  },
  bitbucket: {
    payload: sent.bitbucketPush,
    headers: { 'X-Event-Key': 'repo:push', 'X-Request-UUID': 'd6b3a5a4-1111-4222-8333-944444444444' },
    proves: bitbucket(token),
    forges: bitbucket('guess'),
    malformed: noJson,
  },
  harbor: {
    payload: sent.harborPush,
    proves: () => ({ Authorization: token }),
    forges: () => ({ Authorization: 'guess' }),
    malformed: noJson,
  },
  dockerhub: { payload: sent.dockerHubPush, malformed: noJson, ...byPath },
  quay: { payload: sent.quayPush, malformed: noJson, again: namesItself, ...byPath },
  gcr: {
    payload: sent.pubSubPush,
    proves: () => bearer(issuer.issue(account, { audience, issuer: google })),
    forges: () => bearer(issuer.issue(account, { audience, issuer: google, key: stranger })),
    malformed: [...noJson, '{"message":{}}', '{"message":{"data":"!"}}'],
    options: {
      secretData: { email: account.email, audience },
      fetchIssuer: issuer.fetchAs(google),
    },
  },
  nexus: {
    payload: sent.nexusComponent,
    headers: { 'X-Nexus-Webhook-Id': 'rm:repository:component', 'X-Nexus-Webhook-Delivery': '7f4a6dde-5c68-4999-bcc0' },
    proves: nexus(token),
    forges: nexus('guess'),
    malformed: noJson,
  },
  acr: { payload: sent.acrPush, malformed: noJson, ...byPath },
  cdevents: {
    payload: sent.cdEventPublished,
    headers: { 'Ce-Type': 'dev.cdevents.artifact.published.0.2.0' },
    malformed: [...noJson, '{}', '{"context":{"version":"0.4.1"}}'],
    ...byPath,
  },
}

for (const [type, sender] of Object.entries(senders)) {
  const { payload, proves = nothing, forges, malformed = [], again } = sender
  const tell = async (story: (tries: Tries) => Promise<void>): Promise<void> =>
    within(
      { type, ...sender.spec },
      async scene => {
        const post = async (prove: Prove, body: string, path?: string) => {
          const headers = { 'content-type': 'application/json', ...sender.headers, ...(await prove(body)) }
          return scene.send({ headers, body, ...(path && { path }) })
        }
        await story({ ...scene, post, body: JSON.stringify(payload) })
      },
      sender.options,
    )

  test(`type ${type}: what its sender sends sets off the reconcile`, () =>
    tell(async ({ post, body }) => assert.equal(await post(proves, body), '200 app')))

  test(`type ${type}: the same without the secret, or at another path, costs no reconcile`, () =>
    tell(async ({ post, body, path }) => {
      assert.equal(await post(forges, body), '400')
      assert.equal(await post(nothing, body), '400')
      assert.equal(await post(proves, body, `${path.slice(0, -1)}_`), '404')
    }))

  test(`type ${type}: the same once more ${again ?? 'costs no reconcile'}`, () =>
    tell(async ({ post, body, versionOfApp, clock }) => {
      await post(proves, body)
      const [first] = [await versionOfApp(), await clock.advance(1)]
      assert.equal(await post(proves, body), '200 app')
      assert.equal((await versionOfApp()) === first, again === undefined)
    }))

  test(`type ${type}: more than 3 MiB cost no reconcile`, () =>
    tell(async ({ post, body }) => {
      const large = body.replace(/\}$/, `,"more":"${'x'.repeat(3 * 1024 * 1024)}"}`)
      assert.equal(await post(nothing, large), '413')
    }))

  test(`type ${type}: ${malformed.length > 0 ? 'what is malformed costs no reconcile, who ever sends it' : 'any body will do, and a damaged one is no failure of ours'}`, () =>
    tell(async ({ post }) => {
      for (const body of malformed) assert.equal(await post(proves, body), '400', body)
      if (malformed.length === 0) for (const body of noJson) assert.equal(await post(proves, body), '200 app', body)
    }))
}

interface Tries extends Scene {
  readonly body: string
  post(prove: Prove, body: string, path?: string): Promise<string>
}
