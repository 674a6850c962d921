import assert from 'node:assert/strict'
import type { Block } from './page.ts'
import type { Shell } from './shell.ts'

/** How a reader deals with particular blocks; the others are run as they stand. */
export interface Instructions {
  /** What commands that don't end by themselves print when one may go on. */
  until?(block: Block): RegExp | undefined
}

/**
 * Runs the commands of a page in their order, as a reader pastes them. Where a block of output follows, that must be the
 * last that they printed; `…` in it stands for anything within a line, and spaces may be wider.
 */
export const follow = async (blocks: readonly Block[], shell: Shell, { until }: Instructions = {}): Promise<void> => {
  for (const [index, block] of blocks.entries()) {
    if (block.language !== 'sh') continue
    const background = until?.(block)
    if (background) {
      await shell.keepRunning('hub', block.text, background).catch(failedAt(block))
      continue
    }
    const printed = await shell.run(block.text).catch(failedAt(block))
    const next = blocks[index + 1]
    if (next?.words.includes('output')) assertPrinted(printed, next)
  }
}

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
