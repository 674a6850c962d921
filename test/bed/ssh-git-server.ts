import { spawn } from 'node:child_process'
import { generateKeyPairSync } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import ssh2, { type CipherAlgorithm, type Connection } from 'ssh2'
import { gitEnv } from './git.ts'
import { endWithTest } from './teardown.ts'

/** An SSH server that runs the real git-upload-pack and git-receive-pack for those whose keys it knows. */
export interface SshGitServer extends AsyncDisposable {
  readonly port: number
  /** `ssh://git@127.0.0.1:<port>` */
  readonly url: string
  /** Its line for known_hosts. */
  readonly knownHosts: string
  /** Commands that were asked for, and the git protocol asked for with each. */
  readonly commands: readonly { readonly command: string; readonly protocol: string | undefined }[]
}

export interface SshGitServerOptions {
  /** Public keys that may come in, as in authorized_keys. */
  readonly authorizedKeys: readonly string[]
  /** Paths are relative to this folder. */
  readonly root: string
  /** Forget the protocol that is asked for, as old servers do. */
  readonly old?: boolean
  /** The only cipher that it takes. */
  readonly cipher?: CipherAlgorithm
}

/** A server on loopback which goes when the test ends. */
export const sshGitServer = async (options: SshGitServerOptions): Promise<SshGitServer> => {
  const host = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const hostKey = host.privateKey.export({ type: 'pkcs1', format: 'pem' }).toString()
  const trusted = options.authorizedKeys.map(text => parsed(text))
  const commands: SshGitServer['commands'][number][] = []
  const open = new Set<Connection>()
  const algorithms = options.cipher && { algorithms: { cipher: [options.cipher] } }
  const server = new ssh2.Server({ hostKeys: [hostKey], ...algorithms }, client => {
    open.add(client)
    client.on('close', () => open.delete(client)).on('error', () => {})
    client.on('authentication', context => {
      if (context.method !== 'publickey') return context.reject(['publickey'])
      const key = trusted.find(each => each.getPublicSSH().equals(context.key.data))
      const isSigned = !context.signature || key?.verify(context.blob!, context.signature, context.hashAlgo) === true
      return key && isSigned ? context.accept() : context.reject(['publickey'])
    })
    client.on('session', accept => {
      const session = accept()
      let protocol: string | undefined
      session.on('env', (acceptEnv, _reject, { key, val }) => {
        if (key === 'GIT_PROTOCOL') protocol = val
        acceptEnv?.()
      })
      session.on('exec', (acceptExec, _reject, { command }) => {
        commands.push({ command, protocol })
        const channel = acceptExec()
        const [, program = 'false', path = ''] = /^(git-(?:upload|receive)-pack) '(.*)'$/.exec(command) ?? []
        const env = { ...gitEnv, ...(protocol && !options.old && { GIT_PROTOCOL: protocol }) }
        const git = spawn(program, [options.root + path], { env })
        channel.pipe(git.stdin)
        git.stdin.on('error', () => {})
        git.stdout.pipe(channel, { end: false })
        git.stderr.pipe(channel.stderr, { end: false })
        git.on('close', code => {
          channel.exit(code ?? 1)
          channel.end()
        })
      })
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return endWithTest({
    port,
    url: `ssh://git@127.0.0.1:${port}`,
    knownHosts: `[127.0.0.1]:${port} ssh-rsa ${parsed(hostKey).getPublicSSH().toString('base64')}\n`,
    commands,
    [Symbol.asyncDispose]: async () => {
      for (const client of open) client.end()
      await new Promise<void>(resolve => server.close(() => resolve()))
    },
  })
}

const parsed = (text: string): ssh2.ParsedKey => {
  const key = ssh2.utils.parseKey(text)
  if (key instanceof Error) throw key
  return Array.isArray(key) ? key[0]! : key
}
