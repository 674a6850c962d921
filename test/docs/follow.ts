import assert from 'node:assert/strict'
import type { Block } from './page.ts'
import type { Shell } from './shell.ts'

/** How a reader deals with particular blocks; the others are run as they stand. */
export interface Instructions {
  /** Public addresses in commands, and those of local servers that are asked in their place. */
  readonly addresses?: Readonly<Record<string, string>>
  /** Why a block is not run here; undefined when it is. */
  isElsewhere?(block: Block): string | undefined
  /** Hears of each block that was run, and of the milliseconds that it took. */
  done?(block: Block, ms: number): void
}

/**
 * Runs the commands of a page in their order, as a reader pastes them. `npm start` goes on in a terminal of its own, and ends the
 * one before, as does a comment `# with the hub stopped`. Where a block of output follows, that must be the last that was printed; `…` in it stands for anything within
 * a line, and spaces may be wider.
 */
export const follow = async (
  blocks: readonly Block[],
  shell: Shell,
  { addresses = {}, isElsewhere, done }: Instructions = {},
): Promise<void> => {
  for (const [index, block] of blocks.entries()) {
    if (block.language !== 'sh' || isElsewhere?.(block)) continue
    const commands = replaceAll(block.text, addresses)
    const begun = performance.now()
    const printed = await run(commands, shell).catch(failedAt(block))
    done?.(block, performance.now() - begun)
    const next = blocks[index + 1]
    if (next?.words.includes('output')) assertPrinted(printed, next)
  }
}

const run = async (commands: string, shell: Shell): Promise<string> => {
  if (startsHub.test(commands)) {
    await shell.keepRunning('hub', commands, isStarted(commands))
    return ''
  }
  if (/^npm start|^# with the hub stopped/.test(commands)) await shell.stop('hub')
  return shell.run(commands)
}

const startsHub = /^npm start(?!.*--once)/
/** What it says when one may go on: with a sample, when that has been tried once. */
const isStarted = (commands: string): RegExp =>
  commands.includes('--no-sample') ? /✔ hub ready/ : /[✔✗] Kustomization/

export const replaceAll = (text: string, replacements: Readonly<Record<string, string>>): string =>
  Object.entries(replacements).reduce((changed, [from, to]) => changed.replaceAll(from, to), text)

const failedAt =
  ({ at }: Block) =>
  (error: Error): never => {
    error.message = `${at}: ${error.message}`
    throw error
  }

const assertPrinted = (printed: string, { at, text }: Block): void => {
  const parts = text
    .trim()
    .split('…')
    .map(part => part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&'))
  const pattern = parts.join('[^\\n]*?').replaceAll(/ +/g, ' +')
  assert.match(printed.trim(), new RegExp(`(^|\n)${pattern}$`), `${at} shows something else`)
}
