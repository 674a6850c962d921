import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { User } from '../../../../lib/hub/apiserver/authentication/caller.ts'
import { freshMapping, stsAuthentication } from '../../../../lib/hub/apiserver/authentication/sts-authentication.ts'
import { type StsResponse, stsIdentities } from '../../../../lib/hub/apiserver/authentication/sts-identities.ts'
import { ApiError } from '../../../../lib/hub/store/hub.ts'
import { presignUrl } from '../../../../lib/platform/cloud/aws/sign-request.ts'

const stsOrigin = 'https://sts.eu-west-1.amazonaws.com'
const account = '111122223333'
const role = (name: string, session = 'jane@acme.example') => `arn:aws:sts::${account}:assumed-role/${name}/${session}`

const answerFor = (arn: string): string =>
  `<GetCallerIdentityResponse xmlns="https://sts.amazonaws.com/doc/2011-06-15/"><GetCallerIdentityResult>
     <Arn>${arn}</Arn><UserId>AROAEXAMPLE:session</UserId><Account>${arn.split(':')[4]}</Account>
   </GetCallerIdentityResult></GetCallerIdentityResponse>`

interface World {
  /** Who STS says it is, or what it answers instead. */
  sts: string | StsResponse | Error
  /** Data of the aws-auth ConfigMap; undefined = there is none. */
  mapping: Record<string, string> | undefined
  now: number
  readonly asked: { url: string; headers: Readonly<Record<string, string>> }[]
  readonly logged: string[]
  token(): Promise<string>
  who(authorization: string | undefined): Promise<User | undefined>
}

const stsWorld = (admins: readonly string[] = []): World => {
  let version = 0
  const world: World = {
    sts: role('dev'),
    mapping: undefined,
    now: Date.parse('2026-11-21T12:00:00Z'),
    asked: [],
    logged: [],
    token: async () => {
      const request = {
        method: 'GET',
        url: `${stsOrigin}/?Action=GetCallerIdentity&Version=2011-06-15`,
        headers: { 'x-k8s-aws-id': 'keelson' },
      }
      const scope = { service: 'sts', region: 'eu-west-1', now: world.now, expiresInS: 60 }
      const url = await presignUrl(request, { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }, scope)
      return `Bearer k8s-aws-v1.${Buffer.from(url).toString('base64url')}`
    },
    who: async authorization =>
      authenticate(new Request('https://hub/api', { headers: authorization ? { authorization } : {} })),
  }
  const log = (message: string, fields = {}) => void world.logged.push(`${message} ${JSON.stringify(fields)}`)
  const hub = {
    get: async () =>
      world.mapping && ({ metadata: { resourceVersion: String(++version) }, data: world.mapping } as never),
  }
  const clock = { now: () => world.now, monotonic: () => world.now, sleep: async () => {} }
  const get = async (url: string, headers: Readonly<Record<string, string>>) => {
    world.asked.push({ url, headers })
    if (world.sts instanceof Error) throw world.sts
    if (typeof world.sts !== 'string') return world.sts
    return { status: 200, text: answerFor(world.sts) }
  }
  const identityBehind = stsIdentities({ clock, get }, { hubName: 'keelson', stsOrigin })
  const logs = { info: log, error: log }
  const mapping = freshMapping({ hub, clock, log: logs })
  const authenticate = stsAuthentication({ identityBehind, mapping, log: logs }, { admins, account })
  return world
}

const identityOf = (user: User | undefined) => user && { name: user.name, groups: user.groups }

test('authenticates nobody without a token, and sends no request for one of another kind', async () => {
  const world = stsWorld()
  for (const authorization of [
    undefined,
    'Bearer',
    'Bearer other',
    'Basic dTpw',
    `Basic ${(await world.token()).slice(7)}`,
  ])
    assert.equal(await world.who(authorization), undefined)
  assert.deepEqual(world.asked, [])
})

test('sends STS the name of this hub, so that a token for another one is refused', async () => {
  const world = stsWorld()
  world.sts = {
    status: 403,
    text: '<ErrorResponse><Error><Code>SignatureDoesNotMatch</Code></Error></ErrorResponse>',
  }
  assert.equal(await world.who(await world.token()), undefined)
  assert.deepEqual(world.asked[0]?.headers, { 'x-k8s-aws-id': 'keelson' })
  assert.deepEqual(world.logged, [
    'authentication failed {"why":"token refused: STS responded 403 SignatureDoesNotMatch"}',
  ])
})

test('an admin is a master of the hub, whichever session of the role it is', async () => {
  const world = stsWorld([`arn:aws:iam::${account}:role/team/Ops`, `arn:aws:iam::${account}:user/division/eve`])
  const masters = ['system:masters', 'system:authenticated']
  world.sts = role('ops')
  assert.deepEqual(identityOf(await world.who(await world.token())), { name: role('ops'), groups: masters })
  world.now += 1000
  world.sts = `arn:aws:iam::${account}:user/division/eve`
  assert.deepEqual(identityOf(await world.who(await world.token())), { name: world.sts, groups: masters })
  world.now += 1000
  world.sts = `arn:aws:iam::${account}:user/eve`
  assert.deepEqual((await world.who(await world.token()))?.groups, ['system:authenticated'])
})

test('maps roles and users as an aws-auth ConfigMap says', async () => {
  const world = stsWorld()
  world.mapping = {
    mapRoles: `
- rolearn: arn:aws:iam::${account}:role/path/dev
  username: dev:{{SessionName}}
  groups: [developers, 'account-{{AccountID}}']
- {rolearn: 'arn:aws:iam::${account}:role/raw', username: '{{SessionNameRaw}}'}`,
    mapUsers: `[{userarn: 'arn:aws:iam::${account}:user/bob', username: bob, groups: [ops]}]`,
  }
  const known = async (arn: string) => {
    world.now += 1000
    world.sts = arn
    return identityOf(await world.who(await world.token()))
  }
  assert.deepEqual(await known(role('dev')), {
    name: 'dev:jane-acme.example',
    groups: ['developers', `account-${account}`, 'system:authenticated'],
  })
  assert.deepEqual(await known(role('raw')), { name: 'jane@acme.example', groups: ['system:authenticated'] })
  assert.deepEqual(await known(`arn:aws:iam::${account}:user/bob`), {
    name: 'bob',
    groups: ['ops', 'system:authenticated'],
  })
})

test('who is not mapped is known by ARN, and one of a strange account is not even authenticated', async () => {
  const world = stsWorld()
  world.mapping = { mapAccounts: '["444455556666"]' }
  const groupsOf = async (arn: string) => {
    world.now += 1000
    world.sts = arn
    return identityOf(await world.who(await world.token()))
  }
  const principal = `arn:aws:iam::${account}:role/stranger`
  assert.deepEqual(await groupsOf(role('stranger')), { name: principal, groups: ['system:authenticated'] })
  const friend = 'arn:aws:iam::444455556666:user/friend'
  assert.deepEqual(await groupsOf(friend), { name: friend, groups: ['system:authenticated'] })
  const foreign = 'arn:aws:iam::999999999999:user/anybody'
  assert.deepEqual(await groupsOf(foreign), { name: foreign, groups: ['system:unauthenticated'] })
})

test('uses the valid entries of a mapping, and reports the others', async () => {
  const world = stsWorld()
  world.mapping = {
    mapRoles: `
- {rolearn: 'arn:aws:iam::${account}:role/dev', username: dev, groups: developers}
- {rolearn: 'arn:aws:iam::${account}:role/dev', username: 'node:{{EC2PrivateDNSName}}'}
- {rolearn: dev}
- text
- {rolearn: 'arn:aws:iam::${account}:role/dev', username: 'x{{constructor}}'}
- {rolearn: 'arn:aws:iam::${account}:role/dev', username: dev}`,
    mapUsers: '{',
    mapAccounts: 'all',
  }
  assert.deepEqual((await world.who(await world.token()))?.name, 'dev')
  const faults = world.logged.map(line => JSON.parse(line.slice(line.indexOf('{'))).fault as string)
  assert.deepEqual(faults.slice(0, 5), [
    'mapRoles[0]: groups is not a list of strings',
    'mapRoles[1]: {{EC2PrivateDNSName}} is unknown: the placeholders are AccountID, SessionName, SessionNameRaw',
    'mapRoles[2]: rolearn is not an ARN',
    'mapRoles[3]: is not an object',
    'mapRoles[4]: {{constructor}} is unknown: the placeholders are AccountID, SessionName, SessionNameRaw',
  ])
  assert.match(faults[5]!, /^mapUsers: /)
  assert.equal(faults[6], 'mapAccounts is not a list')
})

test('verifies a token with STS once, even if it arrives many times concurrently, and again after it has expired', async () => {
  const world = stsWorld()
  const token = await world.token()
  await Promise.all(Array.from({ length: 10 }, () => world.who(token)))
  world.now += 14 * 60_000
  assert.ok(await world.who(token))
  assert.equal(world.asked.length, 1)
  world.now += 2 * 60_000
  assert.equal(await world.who(token), undefined)
  assert.equal(world.asked.length, 1)
})

test('sees a changed mapping within seconds, for tokens that are known already too', async () => {
  const world = stsWorld()
  const token = await world.token()
  assert.equal((await world.who(token))?.name, `arn:aws:iam::${account}:role/dev`)
  world.mapping = { mapRoles: `[{rolearn: 'arn:aws:iam::${account}:role/dev', username: dev}]` }
  world.now += 11_000
  assert.equal((await world.who(token))?.name, 'dev')
})

test('does not blame the caller when STS does not respond, reveals nothing of the token, and retries', async () => {
  const world = stsWorld()
  const token = await world.token()
  const faults: World['sts'][] = [
    new Error(`connect ECONNREFUSED ${token}`),
    { status: 503, text: 'busy' },
    { status: 429, text: '' },
  ]
  for (const fault of faults) {
    world.sts = fault
    const error = await world.who(token).catch(error => error)
    assert.ok(error instanceof ApiError)
    assert.equal(error.code, 503)
    assert.match(error.message, /^STS, which verifies your identity, (does not respond|responded \d+): try again$/)
    assert.equal(error.cause, undefined)
  }
  world.sts = role('dev')
  assert.ok(await world.who(token))
})

test('rejects a response without an identity, or with one of another account', async () => {
  const world = stsWorld()
  const bodies = [
    '',
    '{}',
    '<Arn>arn:aws:iam::111122223333:user/x</Arn>',
    answerFor('arn:aws:iam::111122223333:user/x').replace('<Account>111122223333', '<Account>999999999999'),
    answerFor('arn:evil:iam::111122223333:user/x'),
  ]
  for (const body of bodies) {
    world.sts = { status: 200, text: body }
    assert.equal(await world.who(await world.token()), undefined, body)
  }
  assert.ok(world.logged.every(line => !/k8s-aws-v1|Signature=/.test(line)))
})
