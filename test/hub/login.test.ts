/** `keelson login`: both flows at a real provider, and kubectl that logs in by itself. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { browse } from '../bed/browse.ts'
import { command } from '../bed/command.ts'
import { eventually } from '../bed/eventually.ts'
import { hub } from '../bed/hub.ts'
import { program } from '../bed/keelson-program.ts'
import { kubectlEnv } from '../bed/kubectl.ts'
import { oidcProvider } from '../bed/oidc-provider.ts'
import { endWithTest, ifProcessEnds } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { kubectlProgram } from '../bed/testcluster.ts'

const { path: folder } = endWithTest(disposableDir())
const provider = await oidcProvider({
  users: { jane: { groups: ['devs'], email: 'jane@example.com', email_verified: true } },
})
const brief = await oidcProvider({ idTokenSeconds: 8, users: { jane: { groups: ['devs'] } } })

const authorityOf = ({ issuer, ca }: { issuer: string; ca: string }): string => {
  const file = join(folder, `${new URL(issuer).port}.pem`)
  writeFileSync(file, ca)
  return file
}

const cacheOf = (name: string) => join(folder, name)

interface Running {
  said(): string
  readonly ended: Promise<{ code: number | null; stdout: string; stderr: string }>
}

const running = (file: string, args: readonly string[], env: NodeJS.ProcessEnv): Running => {
  const child = spawn(file, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] })
  const forget = ifProcessEnds(() => child.kill())
  let stdout = ''
  let stderr = ''
  child.stdout.on('data', chunk => (stdout += chunk))
  child.stderr.on('data', chunk => (stderr += chunk))
  const ended = once(child, 'close').then(([code]) => {
    forget()
    return { code, stdout, stderr }
  })
  endWithTest({
    [Symbol.asyncDispose]: async () => {
      child.kill()
      await ended
    },
  })
  return { said: () => stderr, ended }
}

const loginArgs = (at: { issuer: string; ca: string }, ...further: string[]) => [
  ...[program, 'login', '--issuer', at.issuer, '--client-id', 'keelson', '--certificate-authority', authorityOf(at)],
  ...further,
]

const login = (at: { issuer: string; ca: string }, cache: string, ...further: string[]): Running =>
  running(process.execPath, loginArgs(at, ...further), { XDG_CACHE_HOME: cacheOf(cache) })

const addressIn = (text: string, behind: RegExp): string =>
  new RegExp(`${behind.source}(https://\\S+)`).exec(text)?.[1] ?? assert.fail(`no address in: ${text}`)

const jane = { login: 'jane', password: 'any' }

/** Waits for the address that a program prints, and logs in there. */
const logInAt = async (run: Running, behind: RegExp, ca: string): Promise<string> => {
  const address = await eventually(() => addressIn(run.said(), behind))
  return browse(address, jane, ca)
}

const credentialOf = async (run: Running) => {
  const { code, stdout, stderr } = await run.ended
  assert.equal(code, 0, stderr)
  const credential = JSON.parse(stdout)
  assert.equal(credential.kind, 'ExecCredential')
  assert.equal(credential.apiVersion, 'client.authentication.k8s.io/v1')
  const { token, expirationTimestamp } = credential.status
  const claims = JSON.parse(Buffer.from(token.split('.')[1], 'base64url').toString())
  assert.equal(Date.parse(expirationTimestamp), claims.exp * 1000)
  return { token, claims }
}

test('logs in with a browser, once: the token is kept where only its owner can read it', async () => {
  const first = login(provider, 'browser', '--no-browser')
  assert.match(await logInAt(first, /log in: /, provider.ca), /You are logged in/)
  const { token, claims } = await credentialOf(first)
  assert.equal(claims.sub, 'jane')
  assert.equal(claims.aud, 'keelson')
  assert.deepEqual(claims.groups, ['devs'])
  const asked = provider.asked('/token')
  assert.equal((await credentialOf(login(provider, 'browser', '--no-browser'))).token, token)
  assert.equal(provider.asked('/token'), asked)
  const kept = join(cacheOf('browser'), 'keelson', 'login')
  assert.equal(statSync(kept).mode & 0o777, 0o700)
  const files = readdirSync(kept)
  assert.equal(files.length, 1)
  assert.equal(statSync(join(kept, files[0]!)).mode & 0o777, 0o600)
})

test('logs in with a code that is entered on another machine', async () => {
  const run = login(provider, 'device', '--device')
  assert.match(await logInAt(run, /or open /, provider.ca), /Success/i)
  assert.equal((await credentialOf(run)).claims.sub, 'jane')
})

test('refreshes a token without the person, also when several programs want it at once', async () => {
  const first = login(brief, 'refresh', '--no-browser')
  await logInAt(first, /log in: /, brief.ca)
  await credentialOf(first)
  const [authorized, asked] = [brief.asked('/auth'), brief.asked('/token')]
  const all = await Promise.all([1, 2, 3].map(() => credentialOf(login(brief, 'refresh', '--no-browser'))))
  for (const { claims } of all) assert.equal(claims.sub, 'jane')
  assert.equal(brief.asked('/token') - asked, 3, 'one after the other, each with the refresh token of the one before')
  assert.equal(brief.asked('/auth'), authorized)
})

test('logs in again when the refresh token has been revoked', async () => {
  const first = login(brief, 'withdrawn', '--no-browser')
  await logInAt(first, /log in: /, brief.ca)
  await credentialOf(first)
  const [name = ''] = readdirSync(join(cacheOf('withdrawn'), 'keelson', 'login'))
  const file = join(cacheOf('withdrawn'), 'keelson', 'login', name)
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), refreshToken: 'withdrawn' }))
  const second = login(brief, 'withdrawn', '--no-browser')
  await logInAt(second, /log in: /, brief.ca)
  assert.equal((await credentialOf(second)).claims.sub, 'jane')
})

test('says in one line why there is no login', async () => {
  const failureOf = async (run: Running) => {
    const { code, stdout, stderr } = await run.ended
    assert.equal(code, 1)
    assert.equal(stdout, '')
    assert.equal(stderr.trimEnd().split('\n').length, 1, stderr)
    return stderr
  }
  const down = await oidcProvider({ stopped: true })
  assert.match(await failureOf(login(down, 'none', '--device')), /cannot log in at https:\S+: .*(ECONNREFUSED|refused)/)
  const unknown = [
    program,
    'login',
    '--issuer',
    provider.issuer,
    '--client-id',
    'other',
    '--device',
    '--certificate-authority',
    authorityOf(provider),
  ]
  assert.match(
    await failureOf(running(process.execPath, unknown, { XDG_CACHE_HOME: cacheOf('none') })),
    /responded invalid_client: .*--client-id/,
  )
  assert.match(
    await failureOf(login({ issuer: 'http://x', ca: provider.ca }, 'none')),
    /--issuer http:\/\/x: must be an https URL/,
  )
})

test('kubectl logs in by itself: somebody without rights sees nothing, and with a role their namespace', async () => {
  const configuration = join(folder, 'authentication.json')
  writeFileSync(
    configuration,
    JSON.stringify({
      apiVersion: 'apiserver.config.k8s.io/v1',
      kind: 'AuthenticationConfiguration',
      jwt: [
        {
          issuer: { url: provider.issuer, audiences: ['keelson'], certificateAuthority: provider.ca },
          claimValidationRules: [
            { expression: 'claims.email_verified == true', message: 'the address is not verified' },
          ],
          claimMappings: {
            username: { expression: 'claims.email' },
            groups: { expression: "claims.groups.map(g, 'team-' + g)" },
          },
        },
      ],
    }),
  )
  const server = await hub({ flags: ['--authentication-config', configuration] })
  const kubeconfig = join(folder, 'jane.kubeconfig')
  const oidc = ['--oidc', '--issuer', provider.issuer, '--client-id', 'keelson', '--device']
  const written = ['--data', server.dataDirectory, '--issuer-certificate-authority', authorityOf(provider)]
  const flags = [...oidc, ...written, '--kubeconfig', kubeconfig, '--alias', 'hub']
  assert.match(await command(process.execPath, [program, 'kubeconfig', ...flags]), /context hub added/)
  assert.doesNotMatch(readFileSync(kubeconfig, 'utf8'), /token: /)
  const kubectl = await kubectlProgram()
  const env = { ...kubectlEnv(kubeconfig), XDG_CACHE_HOME: cacheOf('kubectl') }
  const asJane = (...args: string[]) => running(kubectl, args, env)

  const first = asJane('get', 'configmaps', '-n', 'apps')
  await logInAt(first, /or open /, provider.ca)
  const refused = await first.ended
  assert.match(refused.stderr, /forbidden: User "jane@example.com" cannot list/)
  const who = await asJane('auth', 'whoami').ended
  assert.match(who.stdout, /Username +jane@example.com\nGroups +\[team-devs system:authenticated\]/)
  await server.kubectl('create', 'namespace', 'apps')
  await server.kubectl('create', 'configmap', 'one', '-n', 'apps')
  await server.kubectl('create', 'rolebinding', 'devs', '-n', 'apps', '--clusterrole=view', '--group=team-devs')
  assert.equal((await asJane('get', 'configmaps', '-n', 'apps', '-o', 'name').ended).stdout, 'configmap/one\n')
  assert.match((await asJane('get', 'configmaps', '-A').ended).stderr, /forbidden/)
})
