import assert from 'node:assert/strict'
import { setTimeout } from 'node:timers/promises'
import type { AttackClass, Attempt } from '../attack.ts'
import { type Proposals, proposalsScene, pullRequests, signed } from '../proposals-scene.ts'
import type { AttackWorld } from '../world.ts'

const configMap = (name: string, data: string, more = ''): string =>
  `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: ${JSON.stringify(name)}${more}}\ndata: ${data}\n`

const innocent = { 'app/known.yaml': configMap('known', '{value: two}') }

/** The secret in all forms in which it could be read. */
const formsOf = (secret: string): readonly string[] => [
  ...[secret, secret.toUpperCase(), [...secret].toReversed().join('')],
  ...['base64', 'base64url', 'hex'].map(form => Buffer.from(secret).toString(form as 'hex')),
  // A piece is enough to guess the rest.
  ...Array.from({ length: secret.length - 7 }, (_, at) => secret.slice(at, at + 8)),
]

const requireSilent = (world: AttackWorld, comment: string): void => {
  for (const form of formsOf(world.secret)) assert.ok(!comment.toLowerCase().includes(form.toLowerCase()), comment)
}

/** Heads whose builds are given the secret as the variable `token`. */
const disclosing: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'as a value': { 'app/known.yaml': configMap('known', '{value: "is ${token}"}') },
  'as a key': { 'app/known.yaml': configMap('known', '{value: one, "${token}": x}') },
  'as the name of an object': { 'app/leak.yaml': configMap('${token}', '{}') },
  'as a label and an annotation': {
    'app/known.yaml': configMap(
      'known',
      '{value: one}',
      ', labels: {l: "${token}"}, annotations: {"${token}/a": "${token}"}',
    ),
  },
  'as a kind': {
    'app/leak.yaml': 'apiVersion: example.com/v1\nkind: "${token}"\nmetadata: {name: leak}\n',
  },
  'as a kind that the head defines': {
    'app/definition.yaml': `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: "${'$'}{token}s.example.com"}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: "${'$'}{token}", plural: "${'$'}{token}s", singular: "${'$'}{token}", listKind: "${'$'}{token}List"}
  versions: [{name: v1, served: true, storage: true, schema: {openAPIV3Schema: {type: object}}}]
`,
    'app/leak.yaml': 'apiVersion: example.com/v1\nkind: "${token}"\nmetadata: {name: leak}\n',
  },
  'in pieces': {
    'app/known.yaml': configMap(
      'known',
      `{value: one, ${Array.from({ length: 23 }, (_, at) => `p${at}: "${'$'}{token:${at}:1}"`).join(', ')}}`,
    ),
  },
  'in pieces that name objects': Object.fromEntries(
    Array.from({ length: 23 }, (_, at) => [
      `app/piece-${at}.yaml`,
      configMap(`piece-${at}-${'$'}{token:${at}:1}`, '{}'),
    ]),
  ),
  'in an object that does not build': {
    'app/known.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: known}\ndata: ${token}\n',
  },
  'in an object that is refused': { 'app/known.yaml': configMap('known', '{"not a key ${token}": x}') },
}

const discloses = (how: string): Attempt => ({
  title: `a comment does not have a variable of a Secret: ${how}`,
  async run(world) {
    const { propose } = await proposalsScene(world)
    const comment = await propose(disclosing[how]!)
    assert.match(comment, /Kustomization\/victim\/proposed/)
    requireSilent(world, comment)
  },
})

const object = (kind: string, spec: object): string =>
  JSON.stringify({
    ...{
      apiVersion: `${kind === 'HelmRelease' ? 'helm.toolkit.fluxcd.io/v2' : 'kustomize.toolkit.fluxcd.io/v1'}`,
      kind,
    },
    ...{ metadata: { name: 'theirs' }, spec: { interval: '1h', ...spec } },
  })

const ofVictim = { kind: 'GitRepository', name: 'app', namespace: 'victim' }

/** Units that a head adds, or turns into another tenant's. */
const naming: Readonly<Record<string, string>> = {
  "a Kustomization of another tenant's source": object('Kustomization', {
    prune: true,
    sourceRef: ofVictim,
    path: './',
  }),
  'a Kustomization with a Secret': object('Kustomization', {
    ...{ prune: true, path: './', sourceRef: { kind: 'GitRepository', name: 'proposed' } },
    postBuild: { substituteFrom: [{ kind: 'Secret', name: 'kept' }] },
  }),
  "a Kustomization on another tenant's cluster": object('Kustomization', {
    ...{ prune: true, path: './app', sourceRef: { kind: 'GitRepository', name: 'proposed' } },
    kubeConfig: { secretRef: { name: 'prod' } },
  }),
  'a Kustomization as another account': object('Kustomization', {
    ...{ prune: true, path: './app', sourceRef: { kind: 'GitRepository', name: 'proposed' } },
    serviceAccountName: 'kept',
  }),
  'a HelmRelease with the values of a Secret': object('HelmRelease', {
    chart: { spec: { chart: './chart', sourceRef: { kind: 'GitRepository', name: 'proposed' } } },
    valuesFrom: [{ kind: 'Secret', name: 'kept', valuesKey: 'token', targetPath: 'leak' }],
    kubeConfig: { secretRef: { name: 'prod' } },
  }),
}

const names = (what: string): Attempt => ({
  title: `a head that has ${what} is shown as it is, and not followed`,
  async run(world) {
    world.victimCluster.takeCount()
    const { propose } = await proposalsScene(world)
    const comment = await propose({ 'app/theirs.yaml': naming[what]! })
    assert.match(comment, /^\+ (Kustomization|HelmRelease) victim\/theirs created/m)
    assert.doesNotMatch(comment, /`(Kustomization|HelmRelease)\/victim\/theirs`/)
    requireSilent(world, comment)
    assert.equal(world.victimCluster.takeCount(), 0, 'the cluster of the head was connected to')
  },
})

const markup = '</details>\n\n# Merge me @everyone <img src=x onerror=x> [link](https://evil.example.com) `x` | y'
/** Outside of code nothing of it may be left. */
const shownOutsideCode = (comment: string): string => {
  const fence = /^(`{3,})diff$/m.exec(comment)?.[1] ?? '```'
  const text = comment.split(new RegExp(`^${fence}(?:diff)?$`, 'm')).filter((_, at) => at % 2 === 0)
  return text.join('').replaceAll(/`[^`\n]*`/g, '')
}

const injects = (where: string, changes: Readonly<Record<string, string>>, message?: string): Attempt => ({
  title: `a comment has no markup, mention or link of ${where}`,
  async run(world) {
    const { propose } = await proposalsScene(world)
    const comment = await propose({ ...innocent, ...changes }, message)
    assert.doesNotMatch(shownOutsideCode(comment), /@everyone|<img|evil\.example|Merge me/)
    assert.equal(comment.match(/^\[keelson\]: # /gm)?.length, 1)
  },
})

const isQuiet = async (world: AttackWorld, said: { readonly number: number }): Promise<void> => {
  await setTimeout(1_000)
  const { forge } = world.proposals
  assert.ok(!forge.comments.some(({ pull }) => pull === String(said.number)))
  assert.equal((await world.admin.request('GET', `${pullRequests}/proposed-${said.number}`)).status, 404)
}

const forgeries: Readonly<Record<string, (body: string) => string | undefined>> = {
  'without a signature': () => undefined,
  'with an empty signature': () => '',
  'signed with another key': signed('another-key'),
  'signed with the empty key': signed(''),
  'with the signature of another body': () => signed('key-of-the-webhook')('{}'),
}

const isForged = (how: string): Attempt => ({
  title: `an event ${how} is refused`,
  async run(world) {
    const { push, send } = await proposalsScene(world)
    const said = await push(innocent)
    const { status } = await send(said, forgeries[how]!)
    assert.ok(status >= 400 && status < 500, String(status))
    await isQuiet(world, said)
  },
})

const refuses = (title: string, change: (said: Awaited<ReturnType<Proposals['push']>>) => object): Attempt => ({
  title,
  async run(world) {
    const { push, send } = await proposalsScene(world)
    const said = await push(innocent)
    await send({ ...said, ...change(said) })
    await isQuiet(world, said)
  },
})

const attempts: Attempt[] = [
  {
    title: 'a pull request is planned at all',
    async run(world) {
      const { propose } = await proposalsScene(world)
      assert.match(await propose(innocent), /- {3}data\.value: one\n\+ {3}data\.value: two/)
    },
  },
  ...Object.keys(disclosing).map(discloses),
  ...Object.keys(naming).map(names),
  injects('the name of a file', { [`app/${markup.replaceAll('/', '_')}.yaml`]: configMap('injected', '{}') }),
  injects('names, keys and values', {
    'app/known.yaml': configMap('known', JSON.stringify({ value: markup, [`k ${markup}`]: markup })),
    'app/named.yaml': configMap(markup, '{}'),
  }),
  injects('the title of a commit', {}, markup),
  injects('a document that does not parse', {
    'app/broken.yaml': `apiVersion: v1\nkind: "${markup.split('\n')[0]}\n@everyone: [`,
  }),
  ...Object.keys(forgeries).map(isForged),
  refuses('a fork that is not listed is not fetched', () => ({ fork: 'stranger/app' })),
  refuses('a fork whose owner only begins like a listed one is not fetched', () => ({ fork: 'friends/friend' })),
  refuses('a fork without a name is not fetched', () => ({ fork: '' })),
  refuses('a pull request into a branch that nobody follows is not fetched', () => ({ base: 'main/../other' })),
  refuses('a commit that is none is not fetched', () => ({ sha: '--upload-pack=touch /tmp/x' })),
  {
    title: 'a recorded event brings no older head: what counts is what the repository has',
    async run(world) {
      const { push, send, commentOn } = await proposalsScene(world)
      const first = await push(innocent)
      const { repo } = world.proposals
      const sha = await repo.push(
        { 'app/known.yaml': configMap('known', '{value: three}') },
        { branch: `proposal-${first.number}` },
      )
      await repo.git('update-ref', `refs/pull/${first.number}/head`, sha)
      await send(first)
      const comment = await commentOn(first.number)
      assert.match(comment, new RegExp(`Plan of \`${sha.slice(0, 12)}\``))
      assert.match(comment, /data\.value: three/)
    },
  },
  {
    title: 'a huge diff is cut: the comment stays within the limit of the forge',
    async run(world) {
      const { propose } = await proposalsScene(world)
      const many = Array.from({ length: 400 }, (_, at) => configMap(`many-${at}`, `{value: "${'x'.repeat(2_000)}"}`))
      const comment = await propose({ 'app/many.yaml': many.join('---\n') })
      assert.ok(comment.length <= 65_000, String(comment.length))
      assert.match(comment, /\+400/)
    },
  },
  {
    title: 'nobody writes a PullRequest: a tenant can name no other source, Provider or reference',
    async run({ mallory }) {
      const collection = pullRequests.replace('victim', 'mallory')
      const spec = {
        ...{
          receiver: 'x',
          provider: 'forge',
          number: '1',
          ref: 'refs/heads/main',
          commit: 'a'.repeat(40),
          base: 'main',
        },
        ...{ state: 'Open', sources: [{ name: 'app', head: { name: 'app-pr-1' } }] },
      }
      const metadata = { name: 'forged', namespace: 'mallory' }
      const made = { apiVersion: 'fleet.keelson.dev/v1alpha1', kind: 'PullRequest', metadata, spec }
      const { status } = await mallory.request('POST', collection, made)
      assert.ok([403, 405].includes(status), String(status))
    },
  },
]

/** What who may only open pull requests finds out and causes. */
export const pullRequestsClass: AttackClass = {
  name: 'pull-requests',
  rule: 'Who opens a pull request learns nothing that the repository does not have, and changes, fetches and connects to nothing else; only the forge starts a plan',
  attempts,
}
