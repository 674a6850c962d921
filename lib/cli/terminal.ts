import type { Writable } from 'node:stream'
import { styleText } from 'node:util'
import { isColourful } from './output.ts'

/** Output for people, in the style of the flux CLI: ► begins, ◎ waits, ✔ done, ✗ failed. */
export interface Terminal {
  /** Work begins. */
  action(message: string): void
  /** Work continues elsewhere; shown while waiting. */
  waiting(message: string): void
  success(message: string): void
  failure(message: string): void
  /** Plain text: results, hints, tables. */
  print(message: string): void
  /** Writes everything that `print` prints in a single write. */
  together(print: () => void): void
}

/** Writes to a stream, with colours where appropriate. */
export const terminalOn = (stream: Writable & { isTTY?: boolean }, env: NodeJS.ProcessEnv): Terminal => {
  const colourful = isColourful(stream, env)
  const paint = (colour: 'blue' | 'yellow' | 'green' | 'red', symbol: string): string =>
    colourful ? styleText(colour, symbol, { validateStream: false }) : symbol
  const line = (text: string): void => {
    stream.write(`${text}\n`)
  }
  return {
    action: message => line(`${paint('blue', '►')} ${message}`),
    waiting: message => line(`${paint('yellow', '◎')} ${message}`),
    success: message => line(`${paint('green', '✔')} ${message}`),
    failure: message => line(`${paint('red', '✗')} ${message}`),
    print: line,
    together: print => {
      stream.cork()
      try {
        print()
      } finally {
        stream.uncork()
      }
    },
  }
}
