import assert from 'node:assert/strict'
import type { KubernetesObject } from '../../../lib/foundations/kinds/object.ts'
import { eventually } from '../../bed/eventually.ts'
import type { AttackClass, Attempt } from '../attack.ts'
import { type Manifest, manifest, plainSpecs } from '../manifests.ts'
import { type AttackWorld, verdictOf } from '../world.ts'

/** How 127.0.0.2, which the operator of this hub does not allow, may be written. */
const notations: readonly string[] = [
  '127.0.0.2',
  '127.2',
  '2130706434',
  '0x7f000002',
  '0177.0.0.02',
  '[::ffff:127.0.0.2]',
  '[::ffff:7f00:2]',
  '[64:ff9b::127.0.0.2]',
  '[2002:7f00:2::1]',
  '0.0.0.0',
  '[::]',
  '[::1]',
]

interface Way {
  readonly title: string
  /** The object that connects comes last; `server` is `host:port`. */
  objects(server: string, name: string, world: AttackWorld): readonly Manifest[]
  /** What mallory writes into the status of the first one. */
  status?(server: string): object
}

const secret = (name: string, stringData: object): Manifest => manifest('Secret', name, { stringData })

const kubeconfig = (cluster: object): string =>
  JSON.stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': 'c',
    clusters: [{ name: 'c', cluster }],
    users: [{ name: 'u', user: { token: 'x' } }],
    contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
  })

const applying = (name: string, value: string, { malloryRepo }: AttackWorld): readonly Manifest[] => [
  secret(name, { value }),
  manifest('GitRepository', name, { spec: plainSpecs(malloryRepo.url).GitRepository }),
  manifest('Kustomization', name, {
    spec: {
      sourceRef: { kind: 'GitRepository', name },
      path: './',
      prune: true,
      interval: '1h',
      kubeConfig: { secretRef: { name } },
    },
  }),
]

const source = (kind: string, name: string, fields: object, world: AttackWorld): Manifest =>
  manifest(kind, name, { spec: { ...plainSpecs(world.malloryRepo.url)[kind], ...fields } })

/** A name that no address stands for: a proxy would be asked first. */
const elsewhere = 'git.example.invalid'

const proxied = (kind: string, fields: object, scheme: string): Way => ({
  title: `${kind}: a ${scheme} proxy`,
  objects: (server, name, world) => [
    secret(name, { address: `${scheme}://${server}` }),
    source(kind, name, { ...fields, proxySecretRef: { name } }, world),
  ],
})

const provider = (type: string, fields: object = {}): Way => ({
  title: `ResourceSetInputProvider of type ${type}: a url`,
  objects: (server, name) => [
    manifest('ResourceSetInputProvider', name, { spec: { type, url: `https://${server}/org/repo`, ...fields } }),
  ],
})

const ways: readonly Way[] = [
  {
    title: 'GitRepository: an http url',
    objects: (server, name, world) => [source('GitRepository', name, { url: `http://${server}/repo.git` }, world)],
  },
  {
    title: 'OCIRepository: a url',
    objects: (server, name, world) => [
      source('OCIRepository', name, { url: `oci://${server}/app`, insecure: true }, world),
    ],
  },
  {
    title: 'HelmRepository: a url',
    objects: (server, name, world) => [source('HelmRepository', name, { url: `http://${server}/charts` }, world)],
  },
  {
    title: 'HelmChart: a registry',
    objects: (server, name, world) => [
      source('HelmRepository', name, { url: `oci://${server}/charts`, type: 'oci', insecure: true }, world),
      source('HelmChart', name, { chart: 'app', sourceRef: { kind: 'HelmRepository', name } }, world),
    ],
  },
  {
    title: 'Bucket: an endpoint',
    objects: (server, name, world) => [source('Bucket', name, { endpoint: server }, world)],
  },
  {
    title: 'Bucket: an endpoint of the provider azure',
    objects: (server, name, world) => [
      secret(name, { accountKey: 'eA==' }),
      source('Bucket', name, { provider: 'azure', endpoint: `http://${server}`, secretRef: { name } }, world),
    ],
  },
  {
    title: 'Bucket: a token service',
    objects: (server, name, world) => [
      secret(name, { username: 'u', password: 'p' }),
      source(
        'Bucket',
        name,
        { sts: { provider: 'ldap', endpoint: `http://${server}/sts`, secretRef: { name } } },
        world,
      ),
    ],
  },
  {
    title: 'ExternalArtifact: the url of its artifact',
    objects: (_, name) => [
      manifest('ExternalArtifact', name, { spec: {} }),
      manifest('Kustomization', name, {
        spec: { sourceRef: { kind: 'ExternalArtifact', name }, path: './', prune: true, interval: '1h' },
      }),
    ],
    status: server => ({
      artifact: {
        url: `http://${server}/x.tar.gz`,
        path: 'x.tar.gz',
        revision: 'main@sha1:0',
        digest: `sha256:${'0'.repeat(64)}`,
        lastUpdateTime: '2026-01-01T00:00:00Z',
      },
    }),
  },
  proxied('GitRepository', { url: `https://${elsewhere}/repo.git` }, 'http'),
  proxied('GitRepository', { url: `https://${elsewhere}/repo.git` }, 'socks5'),
  proxied('OCIRepository', { url: `oci://${elsewhere}/app` }, 'http'),
  proxied('Bucket', { endpoint: elsewhere }, 'http'),
  provider('GitHubBranch'),
  provider('GitLabBranch'),
  provider('GiteaTag'),
  provider('AzureDevOpsBranch'),
  provider('OCIArtifactTag', { url: undefined }),
  provider('ExternalService'),
  {
    title: 'Kustomization: the server of a kubeconfig',
    objects: (server, name, world) => applying(name, kubeconfig({ server: `https://${server}` }), world),
  },
  {
    title: 'Kustomization: the proxy of a kubeconfig',
    objects: (server, name, world) =>
      applying(name, kubeconfig({ server: `https://${elsewhere}`, 'proxy-url': `http://${server}` }), world),
  },
]

/** The hub says that it does not connect there; a notation that is no name for a server at all is refused before. */
const refused =
  /is a (loopback|link-local|forbidden) address|is not an address of|invalid|URL|Invalid|no such host|must be/

const connects = ({ title, objects, status: forged }: Way, notation: string): Attempt => ({
  title: `${title} at ${notation} is not connected to`,
  async run(world) {
    const { mallory, freshName, forbidden } = world
    forbidden.takeCount()
    const server = `${notation}:${forbidden.port}`
    const created = objects(server, freshName(), world)
    const connecting = created.at(-1)!
    let isAccepted = true
    for (const { collection, object } of created) {
      const { status, body } = await mallory.request('POST', collection, object)
      isAccepted &&= status === 201
      // A schema that takes no such address has refused it, too.
      if (status !== 201) assert.equal(status, 422, JSON.stringify(body))
      if (object.kind === 'GitRepository' && object !== connecting.object)
        await verdictOf(mallory, `${collection}/${object.metadata.name}`)
    }
    if (isAccepted) {
      if (forged) await mallory.patch(`${created[0]!.path}/status`, { status: forged(server) })
      const expected = notation === forbidden.host ? /is a loopback address|is not an address of Azure DevOps/ : refused
      await eventually(
        async () => {
          const { status, message = '' } = await verdictOf(mallory, connecting.path)
          assert.notEqual(status, 'True')
          assert.match(message, expected)
        },
        { within: 10_000 },
      )
    }
    assert.equal(forbidden.takeCount(), 0, 'the server was connected to')
    for (const { path } of created.toReversed()) await mallory.request('DELETE', path)
  },
})

/** Alerts are sent later, and their failures are told by an Event on the Alert. */
const alerts = (type: string, addressOf: (server: string) => string, fields: object = {}): Attempt => ({
  title: `Provider of type ${type}: an address that is forbidden gets no alert`,
  async run(world) {
    const { mallory, freshName, forbidden, malloryRepo } = world
    forbidden.takeCount()
    const name = freshName()
    const address = addressOf(`${forbidden.host}:${forbidden.port}`)
    const created = [
      secret(name, { token: 'x' }),
      manifest('Provider', name, { spec: { type, address, secretRef: { name }, channel: 'c', ...fields } }),
      manifest('Alert', name, {
        spec: { providerRef: { name }, eventSources: [{ kind: 'GitRepository', name }], eventSeverity: 'info' },
      }),
      manifest('GitRepository', name, { spec: plainSpecs(malloryRepo.url).GitRepository }),
    ]
    for (const { collection, object } of created) await mallory.request('POST', collection, object)
    await eventually(async () => {
      const { body } = await mallory.request('GET', '/api/v1/namespaces/mallory/events')
      const { items } = body as { readonly items: readonly (KubernetesObject & { readonly message: string })[] }
      const about = items.filter(event => JSON.stringify(event).includes(`"${name}"`))
      assert.ok(about.some(({ message }) => /is a loopback address/.test(message)))
    })
    assert.equal(forbidden.takeCount(), 0, 'the server was connected to')
    for (const { path } of created.toReversed()) await mallory.request('DELETE', path)
  },
})

const http = (server: string): string => `http://${server}/hook`

/** What the hub may connect to by an object of mallory's. */
export const connections: AttackClass = {
  name: 'connections',
  rule: "Objects name no address of the hub's own machine, in whichever notation, that the operator does not allow",
  attempts: [
    ...ways.flatMap(way => notations.map(notation => connects(way, notation))),
    ...[
      'generic',
      'generic-hmac',
      'slack',
      'discord',
      'msteams',
      'rocket',
      'googlechat',
      'grafana',
      'alertmanager',
    ].map(type => alerts(type, http)),
    alerts('nats', server => `nats://${server}`),
    alerts('otel', http),
  ],
}
