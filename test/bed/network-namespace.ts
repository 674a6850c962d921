import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Server } from 'node:net'
import { join } from 'node:path'
import { command, type Network } from './command.ts'

/** A network of Linux with a loopback of its own, and nothing else. */
export interface NetworkNamespace extends Network, AsyncDisposable {
  /** Opens a port of its loopback, any if it is 0. The server accepts connections here. */
  listen(port: number): Promise<Server>
}

/** The machine has no namespace for us; the message says why. */
export class NoNamespace extends Error {}

/** Sets IFF_UP of `lo` (SIOCSIFFLAGS), then runs the arguments. An empty Debian has perl, but no `ip`. */
const withLoopback = `use Socket;
socket(my $socket, AF_INET, SOCK_DGRAM, 0) or die "socket: $!";
my $up = pack('a16 s x22', 'lo', 1);
ioctl($socket, 0x8914, $up) or die "loopback: $!";
exec @ARGV`

/** A namespace, which ends with this process. Needs no rights where users may have namespaces. Fails with NoNamespace. */
export const networkNamespace = async (): Promise<NetworkNamespace> => {
  const holder = [process.execPath, join(import.meta.dirname, 'network-holder.ts')]
  const leaving = ['--user', '--map-root-user', '--net', 'perl', '-e', withLoopback, ...holder]
  const child = spawn('unshare', leaving, { stdio: ['ignore', 'ignore', 'pipe', 'ipc'] })
  let complaint = ''
  child.stderr!.on('data', chunk => (complaint = (complaint + chunk).slice(-2_000)))
  const ended = new Promise<void>((resolve, reject) => child.once('error', reject).once('exit', () => resolve()))
  const failed = new Promise<never>((_, reject) => {
    child.once('error', reject).once('close', () => reject(new Error(complaint.trim())))
  })
  failed.catch(() => {})
  const it: NetworkNamespace = {
    enter: (file, args) => [
      'nsenter',
      [...['--target', String(child.pid), '--user', '--net', '--preserve-credentials'], file, ...args],
    ],
    listen: async port => {
      child.send(port)
      const [answer, server] = (await once(child, 'message')) as [{ readonly message?: string }, Server | undefined]
      if (!server) throw new Error(answer.message)
      return server
    },
    async [Symbol.asyncDispose]() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
  try {
    await Promise.race([once(child, 'message'), failed])
    await command('true', [], { network: it })
    return it
  } catch (error) {
    if (child.connected) child.disconnect()
    await ended.catch(() => {})
    throw new NoNamespace((error as Error).message, { cause: error })
  }
}
