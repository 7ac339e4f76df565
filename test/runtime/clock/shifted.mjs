// Preloaded with --import: a machine whose wall clock is wrong. CLOCK_SHIFT_MS is how far it is ahead at the start; a
// message from the parent process sets it anew. The monotonic counter is right, as on a real machine.
const RealDate = Date;
let shift = Number(process.env.CLOCK_SHIFT_MS ?? 0);

globalThis.Date = class extends RealDate {
  constructor(...given) {
    if (given.length === 0) super(RealDate.now() + shift);
    else super(...given);
  }
  static now() {
    return RealDate.now() + shift;
  }
};

process.on('message', (ms) => {
  shift = ms;
});
process.channel?.unref();
