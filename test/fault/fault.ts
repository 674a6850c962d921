import { type GitRepo, startGitRepo } from '../bed/git-repo.ts'
import { type Hub, type HubOptions, startHub } from '../bed/hub.ts'
import { type DisposableDir, disposableDir } from '../bed/temp-dir.ts'
import { type FaultShim, faultShim, noShim } from './fault-shim.ts'

/** Something that goes wrong around a hub, and what the hub makes of it. */
export interface Fault {
  /** What is wrong: `the clock is set back by a day`. */
  readonly name: string
  /** Part of `npm test`. */
  readonly quick?: true
  /** Needs a process that the system lies to. */
  readonly needsShim?: true
  /**
   * Makes it go wrong, and returns in a few words what the hub did about it. Fails when the hub calls itself healthy though it is not,
   * loses something, or does not recover.
   */
  play(scene: Scene): Promise<string>
}

/** The parts that a fault is played with; they go when it is over. */
export interface Scene {
  /** A directory for files of its own. */
  readonly dir: string
  hub(options?: HubOptions): Promise<Hub>
  repo(files: Readonly<Record<string, string>>): Promise<GitRepo>
  shim(): FaultShim
  use<T extends AsyncDisposable>(part: T): T
}

/** Why a fault can't be played here; undefined when it can. */
export const whyNot = ({ needsShim }: Fault): string | undefined => (needsShim ? noShim : undefined)

/** Fails with what the hubs said last, as that tells why one has ended. */
export const play = async (fault: Fault): Promise<string> => {
  await using parts = new AsyncDisposableStack()
  const dir: DisposableDir = parts.use(disposableDir())
  const hubs: Hub[] = []
  const scene: Scene = {
    dir: dir.path,
    hub: async options => {
      const hub = parts.use(await startHub(options))
      hubs.push(hub)
      return hub
    },
    repo: async files => parts.use(await startGitRepo(files)),
    shim: () => faultShim(dir.path),
    use: part => parts.use(part),
  }
  try {
    return await fault.play(scene)
  } catch (cause) {
    const said = hubs.map(
      hub => `the hub, ${hub.pid === undefined ? 'which has ended' : 'which runs'}, said:\n${hub.said().slice(-3000)}`,
    )
    throw new Error([(cause as Error).message, ...said].join('\n'), { cause })
  }
}
