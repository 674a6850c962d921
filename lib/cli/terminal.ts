import { styleText } from 'node:util'

/** The lines that a person sees, in the look of the flux CLI: ► begins, ◎ waits, ✔ done, ✗ failed. */
export interface Terminal {
  /** Work begins. */
  action(message: string): void
  /** Work goes on elsewhere; shown while waiting. */
  waiting(message: string): void
  success(message: string): void
  failure(message: string): void
  /** Plain text: results, hints, tables. */
  print(message: string): void
}

/** Writes to a stream; colours only on a terminal, and never when NO_COLOR is set (no-color.org). */
export const terminalOn = (stream: NodeJS.WritableStream & { isTTY?: boolean }, env: NodeJS.ProcessEnv): Terminal => {
  const colourful = stream.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb'
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
  }
}
