/** A token of this hub, or of an issuer that it trusts, that is invalid: expired, for another audience, or of a deleted account. */
export class TokenRefused extends Error {}
