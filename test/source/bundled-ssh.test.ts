import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { bundle } from '../../infra/bundle.ts'
import { command } from '../bed/command.ts'
import { gitRepo } from '../bed/git-repo.ts'
import { sshGitServer } from '../bed/ssh-git-server.ts'
import { endWithTest } from '../bed/teardown.ts'
import { disposableDir } from '../bed/temp-dir.ts'
import { wires } from '../bed/wires.ts'

// Bundles hold a part of ssh2, with a program that lies packed in it.

const transportFile = join(import.meta.dirname, '../../lib/sources/git/ssh/ssh-transport.ts')

for (const [cipher, passphrase] of [
  ['chacha20-poly1305@openssh.com', ''],
  ['aes128-gcm@openssh.com', ''],
  ['aes256-ctr', 'of-a-key'],
] as const)
  test(`a bundled function speaks to a git server over SSH with ${cipher}${passphrase && ' and a passphrase'}`, async () => {
    const { path: folder } = endWithTest(disposableDir())
    await bundle({ transport: transportFile }, folder)
    const { sshTransport }: typeof import('../../lib/sources/git/ssh/ssh-transport.ts') = await import(
      pathToFileURL(join(folder, 'transport.mjs')).href
    )
    const key = join(folder, 'key')
    await command('ssh-keygen', ['-q', '-t', 'ed25519', '-N', passphrase, '-f', key])
    const repo = await gitRepo({ 'a.yaml': '1' })
    const authorizedKeys = [readFileSync(`${key}.pub`, 'utf8')]
    const server = await sshGitServer({ authorizedKeys, root: dirname(repo.dir), cipher })
    const transport = sshTransport({
      service: 'git-upload-pack',
      url: new URL(`${server.url}/repo.git`),
      credentials: {
        ...{ username: 'git', identity: readFileSync(key, 'utf8'), knownHosts: server.knownHosts },
        ...(passphrase && { passphrase }),
      },
      connections: wires(),
      signal: AbortSignal.timeout(30_000),
      maxBytes: 100_000,
    })
    const greeting = Buffer.concat(await Array.fromAsync(await transport.greeting())).toString()
    await transport.close()
    assert.match(greeting, /^000eversion 2\n.*ls-refs/s)
  })
