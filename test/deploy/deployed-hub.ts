import { createHmac } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after } from 'node:test'
import { getCACertificates, setDefaultCACertificates } from 'node:tls'
import type { Receiver } from '../../lib/foundations/kinds/receiver.ts'
import { type AwsClients, awsClients } from '../../lib/platform/adapters/aws/aws-clients.ts'
import { type Deployment, deployment } from '../bed/aws/deployment.ts'
import { type AwsEmulator, awsEmulator } from '../bed/aws/emulator.ts'
import { functionUrl } from '../bed/aws/function-url.ts'
import { certificateAuthority } from '../bed/certificates.ts'
import { type Cluster, cluster } from '../bed/cluster.ts'
import { type GitRepo, gitRepo } from '../bed/git-repo.ts'
import { type OidcProvider, oidcProvider } from '../bed/oidc-provider.ts'
import { tempDir } from '../bed/temp-dir.ts'
import { type Account, accountOf, type Credentials } from './account.ts'
import { chart } from './chart.ts'
import { configMap, secret } from './fleet.ts'
import { type HubAddress, type Person, person } from './hub-access.ts'
import { type Queues, queuesOf } from './queues.ts'

/** The stack of infra/ in an emulated account that enforces IAM, and all that its stories are told with. */
export interface DeployedHub extends HubAddress {
  readonly emulator: AwsEmulator
  readonly account: Account
  readonly clients: AwsClients
  readonly stack: Deployment
  readonly queues: Queues
  /** A real cluster, and a repository with what is to be on it (`apps`) and in the hub (`hub`, its root source). */
  readonly target: Cluster
  readonly git: GitRepo
  /** A repository with the chart `charts/app`. */
  readonly charts: GitRepo
  /** Where people log in, as `oidc:<name>`: jane is one of `oidc:devs`. */
  readonly issuer: OidcProvider
  /** The hub's own, which only AWS would resolve: `url` is where it is served here. */
  readonly domainName: string
  /** Where forges post to. */
  readonly edge: string
  /** Made an administrator by the stack. */
  readonly admin: Person
  /** Who deployed the hub. */
  readonly operator: Person
  /** Somebody whom the hub does not know. */
  readonly stranger: Person & { readonly credentials: Credentials; readonly arn: string }
  readonly table: string
  readonly bucket: string
  readonly kmsKey: string
  invoke(functionName: string, event: unknown): Promise<unknown>
  /** Tells the Receiver `github` of a push, as GitHub does. Returns the status of the answer. */
  callWebhook(commit: string, key?: string): Promise<number>
}

/** A role that the hub may assume; a story makes it. */
export const discoveryRole = 'discovery'

/** A deployment takes a while, and the emulator too: everything that is waited for comes within this time. */
export const patient = { within: 120_000, every: 500 }

/** Of stories that are told beside others, and each test of which goes on from the one before. */
export const inOrder = { concurrency: 1 }

const trusting = ({ issuer: url, ca: certificateAuthority }: OidcProvider): string =>
  JSON.stringify({
    ...{ apiVersion: 'apiserver.config.k8s.io/v1', kind: 'AuthenticationConfiguration' },
    jwt: [
      {
        issuer: { url, certificateAuthority, audiences: ['keelson'] },
        claimMappings: { username: { claim: 'sub', prefix: 'oidc:' }, groups: { claim: 'groups', prefix: 'oidc:' } },
      },
    ],
  })

/** To be called at the top level of a file: the hub goes when that ends. */
export async function deployedHub(hubName: string): Promise<DeployedHub> {
  const [emulator, target, issuer, git, charts] = await Promise.all([
    awsEmulator({ auth: true }),
    cluster(),
    oidcProvider({ users: { jane: { groups: ['devs'] } } }),
    gitRepo({
      'apps/settings.yaml': configMap('settings', 'one'),
      'apps/extra.yaml': configMap('extra', 'one'),
      'hub/rooted.yaml': configMap('rooted', 'one'),
    }),
    gitRepo(chart),
  ])
  const account = accountOf(emulator)
  const [alice, bob] = [await account.user('alice'), await account.user('bob')]
  const stack = await deployment(emulator, {
    ...{ hubName, admins: alice.arn, enableHelm: 'true', auditLog: '1' },
    featureGates: 'ExternalArtifact=true,GitAllBranchReferences=false',
    authenticationConfig: join(tempDir({ 'authentication.yaml': trusting(issuer) }), 'authentication.yaml'),
    rootSource: `${git.url}//hub?ref=main`,
    assumeRoles: `arn:aws:iam::${emulator.account}:role/${discoveryRole}`,
  })
  const authority = certificateAuthority()
  const [api, webhooks] = [
    await functionUrl(emulator, `${hubName}-api`, { certificate: authority.issue('hub') }),
    await functionUrl(emulator, `${hubName}-webhook`, { atOnce: 4 }),
  ]
  issuer.leadBackTo(`https://${api.domainName}/console/callback`)
  setDefaultCACertificates([...getCACertificates(), readFileSync(emulator.certificateFile!, 'utf8')])
  const clients = awsClients(emulator)
  after(() => clients.close())
  const variables = await account.environmentOf(`${hubName}-tick`)
  const { KEELSON_TABLE: table = '', KEELSON_BUCKET: bucket = '', KEELSON_KMS_KEY: kmsKey = '' } = variables
  const address = { hubName, url: api.url, ca: authority.ca }
  const admin = await person(emulator, alice, address)
  return {
    ...{
      ...address,
      emulator,
      account,
      clients,
      stack,
      target,
      git,
      charts,
      issuer,
      domainName: api.domainName,
      edge: webhooks.url,
      admin,
      table,
      bucket,
      kmsKey,
    },
    queues: queuesOf(account, `${emulator.endpoint}/${emulator.account}/${hubName}-`),
    operator: await person(emulator, emulator.credentials, address),
    stranger: { ...(await person(emulator, bob, address)), credentials: bob, arn: bob.arn },
    invoke: (name, event) => account.invoke(`${hubName}-${name}`, event),
    callWebhook: async (commit, key = secret) => {
      const { status } = await admin.get<Receiver>('receiver', 'github')
      const body = JSON.stringify({ ref: 'refs/heads/main', after: commit })
      const signature = createHmac('sha256', key).update(body).digest('hex')
      const headers = { 'X-GitHub-Event': 'push', 'X-Hub-Signature-256': `sha256=${signature}` }
      return (await fetch(`${webhooks.url}${status?.webhookPath}`, { method: 'POST', body, headers })).status
    },
  }
}
