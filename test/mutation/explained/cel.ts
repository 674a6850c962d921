import { type Explanation, reasonsIn } from '../explanation.ts'

const because = reasonsIn('cel')

const sameDigits = because('spares a second calculation: with so many digits it makes the same ones again')
const allPieces = because(
  'none of the pieces are put together again where there are as many as asked for; no limit is 0 here',
)

export const explained: readonly Explanation[] = [
  sameDigits(
    'functions/decimal.ts',
    'if (value !== 0 && digits.length !== precision + 1) {',
    'digits.length !== precision + 1 → true',
  ),
  sameDigits(
    'functions/decimal.ts',
    'if (value !== 0 && digits.length !== precision + 1) {',
    'precision + 1 → precision - 1',
  ),
  allPieces(
    'functions/strings.ts',
    'if (limit < 0n || pieces.length <= limit) return pieces',
    'limit < 0n → limit <= 0n',
  ),
  allPieces(
    'functions/strings.ts',
    'if (limit < 0n || pieces.length <= limit) return pieces',
    'pieces.length <= limit → pieces.length < limit',
  ),
  because('what has cost too much costs too much at the next step, too; no other errors are thrown')(
    'evaluator.ts',
    'if (error instanceof CelError) return error',
    'error instanceof CelError → true',
  ),
  because('spares a second evaluation where nobody counts')(
    'macros.ts',
    'if (isMetered) run(receiver, scope)',
    'isMetered → true',
  ),
  because('an offset of 0 is written Z before it comes to that')(
    'functions/time.ts',
    "return `${offset < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(minutes).padStart(2, '0')}`",
    'offset < 0 → offset <= 0',
  ),
]
